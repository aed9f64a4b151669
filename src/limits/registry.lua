-- Registry of the gateways that share limits in this Redis. Each sends a heartbeat and gets the entries of the others.
-- KEYS[1]  a hash with a field for each gateway, and '' with the numbers of the last beat and of the first
-- ARGV     the gateway's id; the number of the last beat whose answer it got while it owed Redis no counts; 1 when it
--          leaves for good; its claims as JSON; for how many milliseconds after its last beat a gateway is listed
-- Returns  the beat's number, whether the gateway was known, the number of the first beat, and id and entry of each gateway

local keptMs = tonumber(ARGV[5])
local time = redis.call('TIME')
-- Milliseconds, but always more than before, even where the clock stands still or is set back.
local last, born = string.match(redis.call('HGET', KEYS[1], '') or '', '^(%d+) ?(%d*)$')
local number = math.max((last or 0) + 1, time[1] * 1000 + math.floor(time[2] / 1000))
local known = redis.call('HEXISTS', KEYS[1], ARGV[1])
local text = string.format('%.0f', number)
if not born or born == '' then born = text end
redis.call('HSET', KEYS[1], '', text .. ' ' .. born, ARGV[1], table.concat({ text, ARGV[2], ARGV[3], ARGV[4] }, ' '))
redis.call('PEXPIRE', KEYS[1], keptMs)

local answer = { text, known, born }
local entries = redis.call('HGETALL', KEYS[1])
for i = 1, #entries, 2 do
  if entries[i] ~= '' then
    -- A field of another form is not a gateway's, and would make all later beats fail.
    local seen = string.match(entries[i + 1], '^(%d+) %d+ [01] ')
    if not seen or number - seen > keptMs then
      redis.call('HDEL', KEYS[1], entries[i])
    else
      answer[#answer + 1] = entries[i]
      answer[#answer + 1] = entries[i + 1]
    end
  end
end
return answer
