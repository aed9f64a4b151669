-- Sliding windows in Redis, decided and counted in one step, all or none; sliding-window.ts says why 61 buckets.
-- KEYS     a subject each: second u32, used u32, when this window was begun u32; 61 one-second counts u16, 7 ten-second
--          refusal counts u32, and of each second the millisecond of its newest request u16, all oldest first
-- ARGV     the limits, in the order of the keys and with spaces between; 'take', 'peek' (counts nothing), 'refuse' (decided elsewhere, counted as a refusal) or 'tell':
--          what a gateway admitted, as "age:count age:count"; of this window, if it knows it, all that was not counted
--          here yet (ARGV[4]), and of one that was begun anew since (not ARGV[3]) all that it admitted (ARGV[5])
-- Returns  for each: admitted (0 or 1), used, refused, the second at which requests begin to leave, rounded up, the milliseconds
--          until then, and when the window was begun, 0 for one that does not exist

local BUCKETS, SPANS, SPAN_SECONDS, IDLE_SECONDS = 61, 7, 10, 71
local COUNTS, REFUSALS, NEWEST = 13, 13 + 2 * 61, 13 + 2 * 61 + 4 * 7
local mode = ARGV[2]
local time = redis.call('TIME')
local wall, wallMs = tonumber(time[1]), math.floor(tonumber(time[2]) / 1000)

-- A window as it is now.
local function open(key)
  local now, ms = wall, wallMs
  local newest, used, born, ring, spans, stamps
  local state = redis.call('GET', key)
  if state then
    newest, used, born = struct.unpack('<I4I4I4', state)
    ring, spans = string.sub(state, COUNTS, REFUSALS - 1), string.sub(state, REFUSALS, NEWEST - 1)
    stamps = string.sub(state, NEWEST)
  else
    newest, used, ring, spans = now, 0, string.rep('\0', 2 * BUCKETS), string.rep('\0', 4 * SPANS)
    stamps = ring
    -- Milliseconds in 32 bits: two windows of a subject begun within 48 days are never confused.
    born = mode == 'peek' and 0 or wall % 4194304 * 1000 + ms + 1
  end

  -- A clock that was set back must not let counted requests leave early. Up to a window the script waits for it; after a longer
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
  return { key = key, now = now, ms = ms, used = used, born = born, ring = ring, spans = spans, stamps = stamps }
end

local function put(list, at, value)
  return string.sub(list, 1, at - 1) .. struct.pack('<H', value) .. string.sub(list, at + 2)
end

-- `last`: the time in that second at which the newest of these requests came.
local function add(window, age, count, last)
  local at = 2 * (BUCKETS - age) - 1
  local before = struct.unpack('<H', window.ring, at)
  local after = math.max(0, math.min(before + count, 65535))
  window.used = window.used + after - before
  window.ring = put(window.ring, at, after)
  if count > 0 then
    window.stamps = put(window.stamps, at, math.max(last, (struct.unpack('<H', window.stamps, at))))
  end
end

local function refuse(window)
  local last = 4 * SPANS - 3
  local count = struct.unpack('<I4', window.spans, last)
  window.spans = string.sub(window.spans, 1, last - 1) .. struct.pack('<I4', count + 1)
end

-- The part of the oldest bucket that is 60 s old already.
local function leftEarly(window)
  return struct.unpack('<H', window.stamps) <= window.ms and struct.unpack('<H', window.ring) or 0
end

local function tell(window)
  for age, count in string.gmatch(tonumber(ARGV[3]) == window.born and ARGV[4] or ARGV[5], '(%d+):(-?%d+)') do
    age = tonumber(age)
    if age < BUCKETS then add(window, age, tonumber(count), age == 0 and window.ms or 1000) end
  end
end

local function keep(window)
  local head = struct.pack('<I4I4I4', window.now, window.used, window.born)
  local state = head .. window.ring .. window.spans .. window.stamps
  redis.call('SET', window.key, state, 'EX', IDLE_SECONDS)
end

-- Milliseconds from the newest second on.
local function leaves(window, gone, limit)
  local left = window.used - gone
  if left == 0 and limit > 0 then return 1000 end
  local first = string.find(window.ring, '[^%z]', gone > 0 and 3 or 1)
  for bucket = first and math.floor((first + 1) / 2) or BUCKETS, BUCKETS do
    local count = struct.unpack('<H', window.ring, 2 * bucket - 1)
    left = left - count
    if count > 0 and left < limit then
      return 1000 * (bucket - 1) + struct.unpack('<H', window.stamps, 2 * bucket - 1)
    end
  end
  return 60000 + window.ms
end

local limits, windows, admitted = {}, {}, mode == 'take'
for limit in string.gmatch(ARGV[1], '%S+') do limits[#limits + 1] = math.min(tonumber(limit), 65535) end
for i, key in ipairs(KEYS) do
  windows[i] = open(key)
  admitted = admitted and windows[i].used - leftEarly(windows[i]) < limits[i]
end

local answer = {}
for i, window in ipairs(windows) do
  if mode == 'tell' then
    tell(window)
  elseif admitted then
    add(window, 0, 1, window.ms)
  elseif mode ~= 'peek' then
    refuse(window)
  end
  if mode ~= 'peek' then keep(window) end

  local refused = 0
  for span = 1, SPANS do refused = refused + struct.unpack('<I4', window.spans, 4 * span - 3) end
  local gone = leftEarly(window)
  local left = leaves(window, gone, limits[i])
  local reset, wait = window.now + math.ceil(left / 1000), (window.now - wall) * 1000 + left - wallMs
  for _, value in ipairs({ admitted and 1 or 0, window.used - gone, refused, reset, wait, window.born }) do
    answer[#answer + 1] = value
  end
end
return answer
