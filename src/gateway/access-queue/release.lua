-- Releases the lease, if it is the holder's. KEYS: the lease. ARGV: the holder.
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
