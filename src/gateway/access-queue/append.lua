-- Appends a batch. KEYS: the stream, the counter of appended batches. ARGV: format, number of calls, batch.
redis.call('xadd', KEYS[1], '*', 'form', ARGV[1], 'calls', ARGV[2], 'batch', ARGV[3])
return redis.call('incr', KEYS[2])
