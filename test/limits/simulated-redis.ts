// Redis as gateways see it, in memory and on fake timers: with latency, in order per connection, and with faults.
// Unlike in the product, a window is a plain list of seconds.

import { EventEmitter } from 'node:events';
import type { Limited } from '#limits/limiter.ts';
import { type Entry, GONE_MS } from '#limits/peers.ts';
import type { Counts, Mode, SharedStore, WindowReport } from '#limits/redis-limiter.ts';

const WINDOW_MS = 60_000;

interface Command {
  connection: SimulatedConnection;
  run: () => unknown;
  resolve: (value: never) => void;
  reject: (reason: Error) => void;
}

interface Window {
  born: number;
  /** By second; `last` is the time of the newest of them. */
  counts: Map<number, { count: number; last: number }>;
}

export class SimulatedRedis {
  readonly latencyMs: () => number;
  readonly connections: SimulatedConnection[] = [];
  #windows = new Map<string, Window>();
  #registry = new Map<string, Entry>();
  #number = 0;
  #born = 0;
  #births = 0;
  #queue: Command[] = [];
  #stalled = false;
  up = true;
  /** How far its clock is ahead of that of the gateways. */
  aheadMs = 0;

  constructor(latencyMs: () => number) {
    this.latencyMs = latencyMs;
  }

  connect(): SimulatedConnection {
    const connection = new SimulatedConnection(this);
    this.connections.push(connection);
    return connection;
  }

  stall(): void {
    this.#stalled = true;
  }

  thaw(): void {
    this.#stalled = false;
    this.#drain();
  }

  flush(): void {
    this.#windows.clear();
    this.#registry.clear();
    this.#number = 0;
  }

  kill(): void {
    this.up = false;
    this.flush();
    for (const connection of this.connections) connection.cut();
    this.#queue = [];
  }

  restart(): void {
    this.up = true;
    this.#stalled = false;
    for (const connection of this.connections) connection.reconnect();
  }

  /** Removes the connection of a gateway that has ended. */
  forget(connection: SimulatedConnection): void {
    this.connections.splice(this.connections.indexOf(connection), 1);
    connection.cut();
  }

  receive(command: Command): void {
    this.#queue.push(command);
    this.#drain();
  }

  #drain(): void {
    while (!this.#stalled && this.up) {
      const command = this.#queue.shift();
      if (command === undefined) return;
      const value = command.run() as never;
      command.connection.reply(() => command.resolve(value));
    }
  }

  decide(mode: Mode, limits: readonly Limited[]) {
    const now = this.#now();
    const room = ({ subject, limit }: Limited) => this.#used(this.#open(subject), now) < limit;
    const admitted = mode === 'take' && limits.every(room);
    return limits.map((one) => this.#decideOne(one, admitted, now));
  }

  #decideOne({ subject, limit }: Limited, admitted: boolean, now: number) {
    const window = this.#open(subject);
    const used = this.#used(window, now);
    if (admitted) this.#add(window, Math.floor(now / 1000), 1, now);
    const after = used + (admitted ? 1 : 0);
    const [resetAt, retryAfter] = [Math.floor(now / 1000) + 1, 1];
    const counted = { used: after, remaining: Math.max(0, limit - after), refused: 0 };
    return { admitted, unavailable: false, limit, ...counted, resetAt, retryAfter, born: window.born };
  }

  report(subject: string, { born, unreported, all }: WindowReport): number {
    const now = Math.floor(this.#now() / 1000);
    const window = this.#open(subject);
    const counts: Counts = born === window.born ? unreported : all;
    for (const [age, count] of counts) {
      this.#add(window, now - age, count, Math.min(this.#now(), (now - age + 1) * 1000));
    }
    return window.born;
  }

  #add({ counts }: Window, second: number, count: number, at: number): void {
    const before = counts.get(second) ?? { count: 0, last: 0 };
    const last = count > 0 ? Math.max(before.last, at) : before.last;
    counts.set(second, { count: Math.max(0, before.count + count), last });
  }

  beat({ id, ...entry }: Parameters<SharedStore['beat']>[0]) {
    this.#number = Math.max(this.#number + 1, this.#now());
    if (this.#registry.size === 0) this.#born = this.#number;
    const known = this.#registry.has(id);
    this.#registry.set(id, { lastBeat: this.#number, ...entry });
    for (const [other, { lastBeat }] of this.#registry)
      if (this.#number - lastBeat > GONE_MS) this.#registry.delete(other);
    return { number: this.#number, known, born: this.#born, gateways: new Map(this.#registry) };
  }

  #now(): number {
    return Date.now() + this.aheadMs;
  }

  #open(subject: string): Window {
    let window = this.#windows.get(subject);
    if (window === undefined) {
      window = { born: ++this.#births, counts: new Map() };
      this.#windows.set(subject, window);
    }
    return window;
  }

  #used({ counts }: Window, now: number): number {
    let used = 0;
    for (const [second, { count, last }] of counts) {
      if (last > now - WINDOW_MS) used += count;
      else counts.delete(second);
    }
    return used;
  }
}

/** The connection of one gateway. Cutting it fails all pending commands, as Redis's client does. */
export class SimulatedConnection extends EventEmitter implements SharedStore {
  readonly #redis: SimulatedRedis;
  readonly #open = new Set<Command>();
  #connected = true;
  #lastArrival = 0;

  constructor(redis: SimulatedRedis) {
    super();
    this.#redis = redis;
  }

  decide(...args: Parameters<SharedStore['decide']>): ReturnType<SharedStore['decide']> {
    return this.#send(() => this.#redis.decide(...args));
  }

  report(...args: Parameters<SharedStore['report']>): ReturnType<SharedStore['report']> {
    return this.#send(() => this.#redis.report(...args));
  }

  beat(...args: Parameters<SharedStore['beat']>): ReturnType<SharedStore['beat']> {
    return this.#send(() => this.#redis.beat(...args));
  }

  async probe(): Promise<void> {
    await this.#send(() => undefined);
  }

  cut(): void {
    if (!this.#connected) return;
    this.#connected = false;
    for (const { reject } of this.#open) reject(new Error('Connection is closed.'));
    this.#open.clear();
    this.emit('close');
  }

  reconnect(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.emit('ready');
  }

  disconnect(): void {
    this.cut();
  }

  reply(deliver: () => void): void {
    setTimeout(deliver, this.#redis.latencyMs());
  }

  #send<Value>(run: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (!this.#connected || !this.#redis.up) {
        reject(new Error('Connection is closed.'));
        return;
      }
      const command: Command = { connection: this, run, resolve: resolve as Command['resolve'], reject };
      this.#open.add(command);
      this.#lastArrival = Math.max(this.#lastArrival, Date.now() + this.#redis.latencyMs());
      setTimeout(() => {
        if (this.#open.has(command)) this.#redis.receive(command);
      }, this.#lastArrival - Date.now());
    });
  }
}
