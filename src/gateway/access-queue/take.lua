-- Looks at the stream, and where nobody else has the lease, takes it and reads the oldest batches.
-- KEYS: the stream, how many were ever appended, the lease. ARGV: who asks, how long the lease holds (ms), most batches, most calls.
-- Returns whether the lease is the caller's, how many batches wait, the age of the oldest in ms, how many were ever appended, and
-- of each batch that was read its id, form and bytes.
local oldest = redis.call('xrange', KEYS[1], '-', '+', 'COUNT', 1)[1]
local age = 0
if oldest then
  local now = redis.call('time')
  age = math.max(0, now[1] * 1000 + math.floor(now[2] / 1000) - tonumber(string.match(oldest[1], '^%d+')))
end
local state = { 0, redis.call('xlen', KEYS[1]), age, tonumber(redis.call('get', KEYS[2]) or 0) }
local holder = redis.call('get', KEYS[3])
if holder and holder ~= ARGV[1] then return state end
-- A Redis that is full refuses it, and would never be emptied if that were the end.
redis.pcall('set', KEYS[3], ARGV[1], 'PX', ARGV[2])
state[1] = 1
-- One by one: a batch may be half a megabyte, and those that do not fit would be read for nothing.
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
