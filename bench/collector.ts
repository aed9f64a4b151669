// Bench: a collector of traces that reads what it is sent and says so, in a process of its own: its argument is the port.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  request.resume().once('end', () => response.setHeader('Content-Type', 'application/x-protobuf').end());
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
