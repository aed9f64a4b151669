-- One subject's sliding window in Redis, decided and counted in one step; sliding-window.ts says why 61 buckets.
-- KEYS[1]  the subject's key: second u32, used u32, when this window was begun u32, 61 one-second counts u16, 7 ten-second
--          refusal counts u32, 61 milliseconds u16, second and used once more; all oldest first. Earlier releases know
--          nothing of what follows the refusals, and lose it or leave it behind; then second and used differ, and every
--          request counts as the last of its second.
-- ARGV     the limit, and 'take', 'peek' (counts nothing), 'refuse' (decided elsewhere, counted as a refusal) or 'tell':
--          what a gateway admitted, as "age:count age:count"; of this window, if it knows it, all that was not counted
--          here yet (ARGV[4]), and of one that was begun anew since (not ARGV[3]) all that it admitted (ARGV[5])
-- Returns  admitted (0 or 1), used, refused, the second at which requests begin to leave, rounded up, the milliseconds
--          until then, and when the window was begun, 0 for one that does not exist

local BUCKETS, SPANS, SPAN_SECONDS, IDLE_SECONDS = 61, 7, 10, 71
local COUNTS, REFUSALS, NEWEST, LAST = 13, 13 + 2 * 61, 13 + 2 * 61 + 4 * 7, 13 + 4 * 61 + 4 * 7
local limit, mode = math.min(tonumber(ARGV[1]), 65535), ARGV[2]
local time = redis.call('TIME')
local wall, ms = tonumber(time[1]), math.floor(tonumber(time[2]) / 1000)
local now, wallMs = wall, ms

local newest, used, born, ring, spans, stamps
local state = redis.call('GET', KEYS[1])
if state then
  newest, used, born = struct.unpack('<I4I4I4', state)
  ring, spans = string.sub(state, COUNTS, REFUSALS - 1), string.sub(state, REFUSALS, NEWEST - 1)
  if string.sub(state, LAST) == string.sub(state, 1, 8) then stamps = string.sub(state, NEWEST, LAST - 1) end
  -- A second that is not over has no request later than now.
  stamps = stamps or string.rep(struct.pack('<H', 1000), BUCKETS - 1) .. struct.pack('<H', newest == now and ms or 1000)
else
  newest, used, ring, spans = now, 0, string.rep('\0', 2 * BUCKETS), string.rep('\0', 4 * SPANS)
  stamps = ring
  -- Milliseconds, in 32 bits: no two windows of a subject within 48 days are taken for each other.
  born = mode == 'peek' and 0 or wall % 4194304 * 1000 + ms + 1
end

-- A clock that went back must not let counted requests leave early. Up to a window it is waited for; after a longer
-- jump, which would lock the subject out for as long, every bucket keeps its age from the next second on.
if now < newest then
  if newest - now >= BUCKETS then newest = now + 1 end
  now, ms = newest, 0
end

local passed = math.min(now - newest, BUCKETS)
if passed > 0 then
  local gone = { struct.unpack('<' .. string.rep('H', passed), ring) }
  for i = 1, passed do used = used - gone[i] end
  local empty = string.rep('\0', 2 * passed)
  ring, stamps = string.sub(ring, 2 * passed + 1) .. empty, string.sub(stamps, 2 * passed + 1) .. empty
end
local turned = math.min(math.floor(now / SPAN_SECONDS) - math.floor(newest / SPAN_SECONDS), SPANS)
if turned > 0 then spans = string.sub(spans, 4 * turned + 1) .. string.rep('\0', 4 * turned) end

local function put(list, at, value)
  return string.sub(list, 1, at - 1) .. struct.pack('<H', value) .. string.sub(list, at + 2)
end

-- `last`: no request of these came later in that second.
local function add(age, count, last)
  local at = 2 * (BUCKETS - age) - 1
  local before = struct.unpack('<H', ring, at)
  local after = math.max(0, math.min(before + count, 65535))
  used = used + after - before
  ring = put(ring, at, after)
  if count > 0 then stamps = put(stamps, at, math.max(last, (struct.unpack('<H', stamps, at)))) end
end

-- Of the oldest bucket, what is 60 s old already.
local function leftEarly()
  return struct.unpack('<H', stamps) <= ms and struct.unpack('<H', ring) or 0
end

local admitted = mode == 'take' and used - leftEarly() < limit
if mode == 'tell' then
  for age, count in string.gmatch(tonumber(ARGV[3]) == born and ARGV[4] or ARGV[5], '(%d+):(-?%d+)') do
    age = tonumber(age)
    if age < BUCKETS then add(age, tonumber(count), age == 0 and ms or 1000) end
  end
elseif admitted then
  add(0, 1, ms)
elseif mode ~= 'peek' then
  local last = 4 * SPANS - 3
  spans = string.sub(spans, 1, last - 1) .. struct.pack('<I4', struct.unpack('<I4', spans, last) + 1)
end
if mode ~= 'peek' then
  local head = struct.pack('<I4I4', now, used)
  redis.call('SET', KEYS[1], head .. struct.pack('<I4', born) .. ring .. spans .. stamps .. head, 'EX', IDLE_SECONDS)
end

local refused = 0
for i = 1, SPANS do refused = refused + struct.unpack('<I4', spans, 4 * i - 3) end

local gone = leftEarly()
local counted = used - gone

-- Milliseconds from the newest second on.
local function leaves()
  if counted == 0 and limit > 0 then return 1000 end
  local left, first = counted, string.find(ring, '[^%z]', gone > 0 and 3 or 1)
  for bucket = first and math.floor((first + 1) / 2) or BUCKETS, BUCKETS do
    local count = struct.unpack('<H', ring, 2 * bucket - 1)
    left = left - count
    if count > 0 and left < limit then
      return 1000 * (bucket - 1) + struct.unpack('<H', stamps, 2 * bucket - 1)
    end
  end
  return 60000 + ms
end
local left = leaves()

return {
  admitted and 1 or 0, counted, refused, now + math.ceil(left / 1000), (now - wall) * 1000 + left - wallMs, born,
}
