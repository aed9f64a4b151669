-- One subject's sliding window in Redis, decided and counted in one step; sliding-window.ts says why 61 buckets.
-- KEYS[1]  the subject's key: second u32, used u32, when this window was begun u32, 61 one-second counts u16 and
--          7 ten-second refusal counts u32, both oldest first
-- ARGV     the limit, and 'take', 'peek' (counts nothing), 'refuse' (decided elsewhere, counted as a refusal) or 'tell':
--          what a gateway admitted, as "age:count age:count"; of this window, if it knows it, all that was not counted
--          here yet (ARGV[4]), and of one that was begun anew since (not ARGV[3]) all that it admitted (ARGV[5])
-- Returns  admitted (0 or 1), used, refused, the second at which requests begin to leave, the second it is now, and
--          when the window was begun, 0 for one that does not exist

local BUCKETS, SPANS, SPAN_SECONDS, IDLE_SECONDS = 61, 7, 10, 71
local limit, mode = math.min(tonumber(ARGV[1]), 65535), ARGV[2]
local time = redis.call('TIME')
local wall = tonumber(time[1])
local now = wall

local newest, used, born, ring, spans
local state = redis.call('GET', KEYS[1])
if state then
  newest, used, born = struct.unpack('<I4I4I4', state)
  ring, spans = string.sub(state, 13, 12 + 2 * BUCKETS), string.sub(state, 13 + 2 * BUCKETS)
else
  newest, used, ring, spans = now, 0, string.rep('\0', 2 * BUCKETS), string.rep('\0', 4 * SPANS)
  -- Milliseconds, in 32 bits: no two windows of a subject within 48 days are taken for each other.
  born = mode == 'peek' and 0 or wall % 4194304 * 1000 + math.floor(tonumber(time[2] or 0) / 1000) + 1
end

-- A clock that went back must not let counted requests leave early. Up to a window it is waited for; after a longer
-- jump, which would lock the subject out for as long, every bucket keeps its age from the new time on.
if now < newest then
  if newest - now >= BUCKETS then newest = now else now = newest end
end

local passed = math.min(now - newest, BUCKETS)
if passed > 0 then
  local gone = { struct.unpack('<' .. string.rep('H', passed), ring) }
  for i = 1, passed do used = used - gone[i] end
  ring = string.sub(ring, 2 * passed + 1) .. string.rep('\0', 2 * passed)
end
local turned = math.min(math.floor(now / SPAN_SECONDS) - math.floor(newest / SPAN_SECONDS), SPANS)
if turned > 0 then spans = string.sub(spans, 4 * turned + 1) .. string.rep('\0', 4 * turned) end

local function add(age, count)
  local at = 2 * (BUCKETS - age) - 1
  local before = struct.unpack('<H', ring, at)
  local after = math.max(0, math.min(before + count, 65535))
  used = used + after - before
  ring = string.sub(ring, 1, at - 1) .. struct.pack('<H', after) .. string.sub(ring, at + 2)
end

local admitted = mode == 'take' and used < limit
if mode == 'tell' then
  for age, count in string.gmatch(tonumber(ARGV[3]) == born and ARGV[4] or ARGV[5], '(%d+):(-?%d+)') do
    if tonumber(age) < BUCKETS then add(tonumber(age), tonumber(count)) end
  end
elseif admitted then
  add(0, 1)
elseif mode ~= 'peek' then
  local last = 4 * SPANS - 3
  spans = string.sub(spans, 1, last - 1) .. struct.pack('<I4', struct.unpack('<I4', spans, last) + 1)
end
if mode ~= 'peek' then
  redis.call('SET', KEYS[1], struct.pack('<I4I4I4', now, used, born) .. ring .. spans, 'EX', IDLE_SECONDS)
end

local refused = 0
for i = 1, SPANS do refused = refused + struct.unpack('<I4', spans, 4 * i - 3) end

local function leaves()
  if used == 0 and limit > 0 then return 1 end
  local left, first = used, string.find(ring, '[^%z]')
  for bucket = first and math.floor((first + 1) / 2) or BUCKETS, BUCKETS do
    left = left - struct.unpack('<H', ring, 2 * bucket - 1)
    if left < limit then return bucket end
  end
  return BUCKETS
end

return { admitted and 1 or 0, used, refused, now + leaves(), wall, born }
