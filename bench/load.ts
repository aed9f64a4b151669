// Bench: the load generator, a process of its own: so many callers that each send the next request when answered.
import { Client } from 'undici';
import type { Order, PreparedRequest, SliceResult } from './generator.ts';

/** Connections by origin, kept between slices as a partner keeps them. */
const connections = new Map<string, Client[]>();

function connectionsTo(origin: string, count: number): Client[] {
  const open = connections.get(origin) ?? [];
  connections.set(origin, open);
  while (open.length < count)
    open.push(
      new Client(origin, { pipelining: 1, keepAliveTimeout: 60_000, bodyTimeout: 60_000, headersTimeout: 60_000 }),
    );
  return open;
}

/** Sends one request. Resolves to its status and the length of its body. */
function send(client: Client, request: PreparedRequest): Promise<{ status: number; length: number }> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let length = 0;
    client.dispatch(
      { path: request.path, method: request.method, headers: request.headers, body: request.body ?? null },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData(_controller, chunk) {
          length += chunk.length;
        },
        onResponseEnd() {
          resolve({ status, length });
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  });
}

const prepared = new Map<number, PreparedRequest[]>();

async function runSlice({ id, origin, concurrency, milliseconds, most, expect }: Extract<Order, { kind: 'slice' }>) {
  const requests = prepared.get(id) ?? [];
  const latencies: number[] = [];
  const faults: string[] = [];
  let admitted = 0;
  let sent = Math.floor(Math.random() * requests.length);
  let left = most;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const deadline = started + milliseconds;

  const judge = ({ status, length }: { status: number; length: number }): void => {
    if (status === 200 && expect.status !== 200 && expect.mayAdmit > 0) admitted += 1;
    else if (status !== expect.status) faults.push(`status ${status} instead of ${expect.status}`);
    else if (length < expect.least || length > expect.most)
      faults.push(`a body of ${length} bytes instead of ${expect.least} to ${expect.most}`);
  };
  const caller = async (client: Client): Promise<void> => {
    while (performance.now() < deadline && faults.length === 0 && left > 0) {
      left -= 1;
      const request = requests[sent++ % requests.length] as PreparedRequest;
      const at = performance.now();
      judge(await send(client, request));
      latencies.push(performance.now() - at);
    }
  };
  const callers = connectionsTo(origin, concurrency).slice(0, concurrency).map(caller);
  await Promise.all(callers.map((each) => each.catch((error: unknown) => faults.push(String(error)))));
  if (admitted > expect.mayAdmit) faults.push(`${admitted} requests were admitted`);

  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  const result: SliceResult = {
    requests: latencies.length,
    seconds,
    latencies: Float32Array.from(latencies),
    generatorSeconds: (used.user + used.system) / 1e6,
    fault: faults[0] ?? null,
  };
  return result;
}

process.on('message', async (order: Order) => {
  if (order.kind === 'prepare') prepared.set(order.id, order.requests);
  else process.send?.(await runSlice(order));
});
process.on('disconnect', () => process.exit());
