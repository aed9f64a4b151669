// Limits: the gateways that share limits, as each knows the others, and what each may admit while out of touch with
// Redis.
//
// Each of n gateways has an even share of a limit. A gateway that holds more than half its share within the window
// claims that amount, and announces the claim with its next beat. If the claim is above the share, its allotment is the
// claim. Each other gateway gives up the whole excess E of all claims over the shares, as far as its share goes. Either
// one of them gives up all of E, or all hold only what Redis has granted, so together they never exceed the limit.
//
// A gateway out of touch with Redis admits within its allotment. A gateway in touch subtracts from the limit, as it
// requests it from Redis, the allotments of the gateways not heard of through Redis since the last disruption. While
// there are any, it also stays within its own allotment, because Redis may have lost what the others hold beyond
// theirs.

/** Interval of a gateway's beats. */
export const BEAT_MS = 200;
/** Without a beat for this time a gateway may be deciding alone; without an answer to ours, all others may. */
const STALE_MS = 900;
/** A gateway not heard of for this time is gone. Outages of up to 60 s are covered. */
export const GONE_MS = 65_000;
/** This long after joining, a gateway's own windows contain everything that Redis granted it. */
const NEW_MS = 61_000;
/**
 * After Redis has lost the registry, running gateways are listed again within this time: they reconnect every 500 ms.
 */
const RETURN_MS = 2_000;

export interface Entry {
  /** Number of its last beat. */
  lastBeat: number;
  /** Number of its last beat that was answered while it owed Redis nothing. */
  echo: number;
  /** It has stopped and admits nothing more, but what it admitted stays in the window for another minute. */
  left: boolean;
  /** Subjects of which it holds more than half its share (`claimThreshold`), with the amount held. */
  claims: Claims;
}

export type Claims = ReadonlyMap<string, number>;

export interface Beat {
  id: string;
  echo: number;
  left: boolean;
  claims: Claims;
}

/**
 * The answer to a beat. Numbers are milliseconds of Redis's clock, and always increase, even where that was set back.
 */
export interface BeatAnswer {
  number: number;
  /** False at the first beat, and after Redis has lost its data. */
  known: boolean;
  /** Number of the first beat of any gateway that Redis remembers. */
  born: number;
  gateways: ReadonlyMap<string, Entry>;
}

/** Times are by this process's own clock. */
interface Peer extends Entry {
  /** When `lastBeat` last changed. */
  heardAt: number;
  /** When `echo` last changed. */
  echoedAt: number;
  /** All claims at the time when it was last in touch, if it ever was. It may not know of later ones. */
  knownClaims: ReadonlyMap<string, Claims> | undefined;
}

export class Peers {
  readonly id: string;
  /** Number of disruptions. Answers to requests sent before the latest one rest on assumptions that no longer hold. */
  disruptions = 0;
  readonly #patienceMs: number;
  readonly #peers = new Map<string, Peer>();
  #ids: string[];
  #claims: Claims = new Map();
  #number = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Number of the first beat answered since the last disruption. */
  #since = Number.POSITIVE_INFINITY;
  #joined = false;
  #joinedAt = Number.NEGATIVE_INFINITY;
  #born = 0;
  /** Until this time, by this process's own clock, gateways that Redis has forgotten may reappear. */
  #returnBy = Number.NEGATIVE_INFINITY;
  #settled = true;
  /** When the first beat since the last disruption was answered, by this process's own clock. */
  #connectedAt = Number.POSITIVE_INFINITY;
  #outOfTouch: string[] = [];

  constructor(id: string, patienceMs = 0) {
    this.id = id;
    this.#ids = [id];
    this.#patienceMs = patienceMs;
  }

  /** Number of the last answered beat. */
  get number(): number {
    return this.#number;
  }

  /** Number of known gateways, including this one. */
  get count(): number {
    return this.#ids.length;
  }

  /** Whether all gateways are in touch with Redis, recently and since the last disruption, and owe it nothing. */
  get inTouch(): boolean {
    return this.#outOfTouch.length === 0 && this.#heardRecently();
  }

  /** Whether all gateways have told Redis what they owed it since the last disruption. */
  get settled(): boolean {
    return this.#settled;
  }

  /** To be called when requests may have been admitted, here or elsewhere, that Redis does not know of. */
  markDisrupted(): void {
    this.disruptions++;
    this.#since = Number.POSITIVE_INFINITY;
    this.#connectedAt = Number.POSITIVE_INFINITY;
    this.#settled = false;
    this.#outOfTouch = this.#others();
  }

  /** Processes an answer that came in time. `disruptions` and `claims` are those at the time of the beat. */
  processAnswer(
    { number, born, gateways }: BeatAnswer,
    sent: { at: number; disruptions: number; claims: Claims },
  ): void {
    const now = performance.now();
    this.#number = number;
    if (born !== this.#born && number - born < RETURN_MS) this.#returnBy = now + RETURN_MS;
    this.#born = born;
    this.#heardAt = sent.at;
    this.#claims = sent.claims;
    if (this.#since === Number.POSITIVE_INFINITY && sent.disruptions === this.disruptions) {
      this.#since = number;
      this.#connectedAt = now;
    }
    for (const [id, entry] of gateways) {
      if (id === this.id) continue;
      const before = this.#peers.get(id);
      const heardAt = before?.lastBeat === entry.lastBeat ? before.heardAt : now;
      const echoedAt = before?.echo === entry.echo ? before.echoedAt : now;
      this.#peers.set(id, { ...entry, heardAt, echoedAt, knownClaims: before?.knownClaims });
    }
    this.#ids = [this.id];
    for (const [id, { heardAt }] of this.#peers) {
      if (now - heardAt <= GONE_MS) this.#ids.push(id);
      // A gateway still listed in Redis would reappear with the next beat.
      else if (!gateways.has(id)) this.#peers.delete(id);
    }
    this.#ids.sort();
    this.#outOfTouch = this.#others().filter((id) => !this.#isInTouch(id));
    const claims = new Map(this.#ids.map((id) => [id, this.#claimsOf(id)]));
    for (const [id, peer] of this.#peers) if (!this.#outOfTouch.includes(id)) peer.knownClaims = claims;
    if (!this.#joined) this.#joinedAt = now;
    this.#joined ||= now > this.#returnBy && this.#outOfTouch.every((id) => this.#isSilent(id));
    this.#settled ||= this.#outOfTouch.length === 0 && this.#since !== Number.POSITIVE_INFINITY;
  }

  /**
   * Whether the others count this gateway in. Those without a beat since it came, or since Redis forgot them, are gone.
   */
  get joined(): boolean {
    return this.#joined;
  }

  /** What this gateway may admit of a subject's limit on its own. 0 before the others know of it. */
  allotment(subject: string, limit: number): number {
    if (!this.#joined && this.count > 1) return 0;
    const own = this.#allotmentOf(this.id, subject, limit);
    // Redis may not have told a new gateway how much remains, so a part is left aside for what gateways with claims
    // were granted since they announced them.
    const isNew = performance.now() - this.#joinedAt < NEW_MS;
    return isNew && own < this.share(limit) ? Math.max(0, own - Math.ceil(limit / 20)) : own;
  }

  /** What others may admit on their own. */
  reserved(subject: string, limit: number): number {
    const others = this.#heardRecently() ? this.#outOfTouch : this.#others();
    let sum = 0;
    for (const id of others) sum += this.#allotmentOf(id, subject, limit, this.#peers.get(id)?.knownClaims);
    return sum;
  }

  /**
   * This gateway's part of what remained, by Redis's last answer, for the gateways in touch. Alone it has all of it.
   * Otherwise each leaves a twentieth of the limit aside for what Redis granted to others since then.
   */
  partOf(remaining: number, limit: number): number {
    const n = this.count - this.#outOfTouch.length;
    return n === 1 ? remaining : Math.max(0, Math.floor((remaining - n - limit / 20) / n));
  }

  /** An even share. The shares of all gateways, in the order of their ids, add up to the limit. */
  share(limit: number, id = this.id): number {
    const n = this.count;
    return Math.floor(limit / n) + (this.#ids.indexOf(id) < limit % n ? 1 : 0);
  }

  /**
   * Number of requests from which this gateway announces what it holds: half a share, in case shares shrink before a
   * beat.
   */
  claimThreshold(limit: number): number {
    return limit / this.count / 2;
  }

  /** `knownClaims`: the claims that the gateway may still go by. The larger of the two allotments counts. */
  #allotmentOf(id: string, subject: string, limit: number, knownClaims?: Peer['knownClaims']): number {
    const share = this.share(limit, id);
    const own = this.#claimsOf(id).get(subject) ?? 0;
    const now = this.#claimed(subject, limit, (other) => this.#claimsOf(other));
    const before = knownClaims === undefined ? now : this.#claimed(subject, limit, (other) => knownClaims.get(other));
    if (own <= share) return Math.max(0, share - Math.min(now.excess, before.excess));
    const part = Math.max(now.room / now.excess, before.room / before.excess);
    return share + Math.floor((own - share) * Math.min(1, part));
  }

  /**
   * The sum of the claims above their shares, and the maximum that the others can give up for it. The maximum is lower
   * only where the limit was lowered since the claims; gateways with claims then keep only so much of them that the sum
   * is the limit.
   */
  #claimed(subject: string, limit: number, claimsOf: (id: string) => Claims | undefined) {
    const claimed = { excess: 0, room: limit };
    for (const id of this.#ids) {
      const share = this.share(limit, id);
      const held = claimsOf(id)?.get(subject) ?? 0;
      if (held <= share) continue;
      claimed.excess += held - share;
      claimed.room -= share;
    }
    return claimed;
  }

  #claimsOf(id: string): Claims {
    return id === this.id ? this.#claims : (this.#peers.get(id)?.claims ?? NONE);
  }

  #isInTouch(id: string): boolean {
    const peer = this.#peers.get(id);
    if (peer === undefined || peer.left) return true;
    const late = STALE_MS + this.#patienceMs;
    // The numbers show at once how old the echo is. While Redis's clock is behind them, our own clock decides.
    return peer.echo >= this.#since && this.#number - peer.echo <= late && performance.now() - peer.echoedAt <= late;
  }

  /** Whether nothing has been heard of this gateway for a while, although beats are answered. */
  #isSilent(id: string): boolean {
    const since = Math.max(this.#peers.get(id)?.heardAt ?? 0, this.#connectedAt);
    return performance.now() - since > STALE_MS + this.#patienceMs;
  }

  #heardRecently(): boolean {
    return this.count === 1 || performance.now() - this.#heardAt <= STALE_MS + this.#patienceMs;
  }

  #others(): string[] {
    return this.#ids.filter((id) => this.#peers.get(id)?.left === false);
  }
}

const NONE: Claims = new Map();
