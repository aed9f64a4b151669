-- Reads the state of the stream. Unless another process has the lease, acquires it and reads the oldest batches.
-- KEYS: the stream, the counter of appended batches, the lease. ARGV: the holder, duration of the lease (ms), maximum of batches, maximum of calls.
-- Returns whether the holder has the lease, the number of batches in the stream, the age of the oldest in ms, the counter, and
-- id, format and bytes of each batch read.
local oldest = redis.call('xrange', KEYS[1], '-', '+', 'COUNT', 1)[1]
local age = 0
if oldest then
  local now = redis.call('time')
  age = math.max(0, now[1] * 1000 + math.floor(now[2] / 1000) - tonumber(string.match(oldest[1], '^%d+')))
end
local state = { 0, redis.call('xlen', KEYS[1]), age, tonumber(redis.call('get', KEYS[2]) or 0) }
local holder = redis.call('get', KEYS[3])
if holder and holder ~= ARGV[1] then return state end
-- A Redis without free memory refuses this. The batches are read nevertheless, or the stream could never be emptied.
redis.pcall('set', KEYS[3], ARGV[1], 'PX', ARGV[2])
state[1] = 1
-- Read one by one: a batch may have half a megabyte, and reading those beyond the maximum would be wasted.
local calls = 0
local entry = oldest
for _ = 1, tonumber(ARGV[3]) do
  if not entry then break end
  local fields = {}
  for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
  calls = calls + (tonumber(fields.calls) or 0)
  if calls > tonumber(ARGV[4]) and #state > 4 then break end
  state[#state + 1] = entry[1]
  state[#state + 1] = fields.form or ''
  state[#state + 1] = fields.batch or ''
  entry = redis.call('xrange', KEYS[1], '(' .. entry[1], '+', 'COUNT', 1)[1]
end
return state
