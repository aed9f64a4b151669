// Bench: a collector of traces that reads and confirms what it receives, in a process of its own. Its argument is the
// port.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => response.setHeader('Content-Type', 'application/x-protobuf').end());
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
