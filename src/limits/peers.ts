// The gateways that share limits, as each hears of the others, and what each may admit while it is out of touch.

// The rule: of a limit each of n gateways has an even share. One that has admitted more than its share in the window
// claims that much, and says so to the others with its next beat; they give up as much of theirs together. So the
// allotments of all gateways, alone, come to the limit at most: for an excess E of the claims over their shares, one
// gateway at least has given up E.
//
// A gateway out of touch with Redis admits within its allotment. One in touch leaves the allotments of those that it
// has not heard of, by way of Redis, since the last trouble, out of the limit that it asks Redis for; and while there are
// any, it keeps to what it could admit alone, since Redis may have lost what they hold beyond their allotments.

/** How often a gateway says that it is there. */
export const BEAT_MS = 200;
/** A gateway whose last word is older than this may be deciding alone; likewise where one's own knowledge is older. */
const STALE_MS = 900;
/** A gateway that was not heard of for so long is gone; no outage that is guarded against takes longer than 60 s. */
const GONE_MS = 65_000;
/** From then on a gateway's own windows hold what it was given. */
const NEW_MS = 61_000;
/** Where Redis has lost the list of gateways, those that still run are on it again after that: they reconnect every 500 ms. */
const RETURN_MS = 2_000;

export interface Entry {
  /** Number of the gateway's last beat. */
  seen: number;
  /** Number of the last beat whose answer it got while it owed Redis nothing. */
  echo: number;
  /** It has stopped: it will admit nothing more, but what it admitted is in the window for another minute. */
  left: boolean;
  /** Subjects of which it holds more than its share, and how much. */
  claims: Claims;
}

export type Claims = ReadonlyMap<string, number>;

export interface Beat {
  id: string;
  echo: number;
  left: boolean;
  claims: Claims;
}

/** The answer to a beat. Numbers are milliseconds of Redis's clock, and grow with each beat also where that was set back. */
export interface Heard {
  number: number;
  /** False at the first beat, and where Redis has lost its data. */
  known: boolean;
  /** Number of the first beat that Redis remembers of any gateway. */
  born: number;
  gateways: ReadonlyMap<string, Entry>;
}

/** Times are of this process's own clock. */
interface Peer extends Entry {
  /** When `seen` was last another. */
  heardAt: number;
  /** When `echo` was last another. */
  echoedAt: number;
  /** What all had claimed when it was last in touch, where it ever was: of later claims it may not have heard. */
  knew: ReadonlyMap<string, Claims> | undefined;
}

export class Peers {
  readonly id: string;
  /** How many troubles there were. What was asked before the last one was answered on assumptions that are void. */
  troubles = 0;
  readonly #patienceMs: number;
  readonly #peers = new Map<string, Peer>();
  #ids: string[];
  #claims: Claims = new Map();
  #number = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** The first beat that was answered after the last trouble. */
  #since = Number.POSITIVE_INFINITY;
  #joined = false;
  #joinedAt = Number.NEGATIVE_INFINITY;
  #born = 0;
  /** Until then others may come back that Redis has forgotten, on this process's own clock. */
  #returnBy = Number.NEGATIVE_INFINITY;
  #settled = true;
  /** When the first beat after the last trouble was answered, on this process's own clock. */
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

  /** Every gateway that is known, this one included. */
  get count(): number {
    return this.#ids.length;
  }

  /** All gateways are in touch with Redis, as of lately and since the last trouble, and owe it nothing. */
  get inTouch(): boolean {
    return this.#outOfTouch.length === 0 && this.#lately();
  }

  /** Since the last trouble, all gateways have told Redis what they owed it. */
  get settled(): boolean {
    return this.#settled;
  }

  /** Something may have been admitted that Redis does not know of: here, or by others that met the same. */
  troubled(): void {
    this.troubles++;
    this.#since = Number.POSITIVE_INFINITY;
    this.#connectedAt = Number.POSITIVE_INFINITY;
    this.#settled = false;
    this.#outOfTouch = this.#others();
  }

  /** Takes over what an answer in time said. `troubles` and `claims` are those of when it was asked. */
  heard({ number, born, gateways }: Heard, asked: { at: number; troubles: number; claims: Claims }): void {
    const now = performance.now();
    this.#number = number;
    if (born !== this.#born && number - born < RETURN_MS) this.#returnBy = now + RETURN_MS;
    this.#born = born;
    this.#heardAt = asked.at;
    this.#claims = asked.claims;
    if (this.#since === Number.POSITIVE_INFINITY && asked.troubles === this.troubles) {
      this.#since = number;
      this.#connectedAt = now;
    }
    for (const [id, entry] of gateways) {
      if (id === this.id) continue;
      const before = this.#peers.get(id);
      const heardAt = before?.seen === entry.seen ? before.heardAt : now;
      const echoedAt = before?.echo === entry.echo ? before.echoedAt : now;
      this.#peers.set(id, { ...entry, heardAt, echoedAt, knew: before?.knew });
    }
    this.#ids = [this.id];
    for (const [id, { heardAt }] of this.#peers) {
      if (now - heardAt <= GONE_MS) this.#ids.push(id);
      // One that Redis still lists would come back with the next beat.
      else if (!gateways.has(id)) this.#peers.delete(id);
    }
    this.#ids.sort();
    this.#outOfTouch = this.#others().filter((id) => !this.#isInTouch(id));
    const knew = new Map(this.#ids.map((id) => [id, this.#claimsOf(id)]));
    for (const [id, peer] of this.#peers) if (!this.#outOfTouch.includes(id)) peer.knew = knew;
    if (!this.#joined) this.#joinedAt = now;
    this.#joined ||= now > this.#returnBy && this.#outOfTouch.every((id) => this.#isSilent(id));
    this.#settled ||= this.#outOfTouch.length === 0 && this.#since !== Number.POSITIVE_INFINITY;
  }

  /** The others count this gateway in; those that have not said a word since it came, or since Redis forgot them, are gone. */
  get joined(): boolean {
    return this.#joined;
  }

  /** What this gateway may admit of a subject's limit on its own. Nothing before the others have heard of it. */
  allotment(subject: string, limit: number): number {
    if (!this.#joined && this.count > 1) return 0;
    const own = this.#allotmentOf(this.id, subject, limit);
    // Redis need not have told a new one what remains: what those with claims were given since they said so is left aside.
    const isNew = performance.now() - this.#joinedAt < NEW_MS;
    return isNew && own < this.share(limit) ? Math.max(0, own - Math.ceil(limit / 20)) : own;
  }

  /** What others may admit of it on theirs. */
  reserved(subject: string, limit: number): number {
    const others = this.#lately() ? this.#outOfTouch : this.#others();
    let sum = 0;
    for (const id of others) sum += this.#allotmentOf(id, subject, limit, this.#peers.get(id)?.knew);
    return sum;
  }

  /**
   * This gateway's part of what remained for those in touch by Redis's last answer. Alone it has all of it. Of several,
   * each leaves a twentieth of the limit aside, for what the others were given since by answers that it has not seen.
   */
  partOf(remaining: number, limit: number): number {
    const n = this.count - this.#outOfTouch.length;
    return n === 1 ? remaining : Math.max(0, Math.floor((remaining - n - limit / 20) / n));
  }

  /** An even share; over all gateways, in the order of their ids, they come to the limit. */
  share(limit: number, id = this.id): number {
    const n = this.count;
    return Math.floor(limit / n) + (this.#ids.indexOf(id) < limit % n ? 1 : 0);
  }

  /** From how much on the others hear what this gateway holds: shares may be smaller before it can say so again. */
  told(limit: number): number {
    return limit / this.count / 2;
  }

  /** `knew`: claims by which it may still go; then it is the larger of the two. */
  #allotmentOf(id: string, subject: string, limit: number, knew?: Peer['knew']): number {
    const share = this.share(limit, id);
    const own = this.#claimsOf(id).get(subject) ?? 0;
    const now = this.#claimed(subject, limit, (other) => this.#claimsOf(other));
    const before = knew === undefined ? now : this.#claimed(subject, limit, (other) => knew.get(other));
    if (own <= share) return Math.max(0, share - Math.min(now.excess, before.excess));
    const part = Math.max(now.room / now.excess, before.room / before.excess);
    return share + Math.floor((own - share) * Math.min(1, part));
  }

  /**
   * What is claimed above the shares, and what the others can give up for it at most. That is less only where the limit was
   * lowered since, and then those with claims keep so much of them that all come to the limit.
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
    // Numbers tell at once how old the echo is. While Redis's clock is behind them they hardly grow, and our own tells.
    return peer.echo >= this.#since && this.#number - peer.echo <= late && performance.now() - peer.echoedAt <= late;
  }

  /** Others are heard of, and this one is not. */
  #isSilent(id: string): boolean {
    const since = Math.max(this.#peers.get(id)?.heardAt ?? 0, this.#connectedAt);
    return performance.now() - since > STALE_MS + this.#patienceMs;
  }

  #lately(): boolean {
    return this.count === 1 || performance.now() - this.#heardAt <= STALE_MS + this.#patienceMs;
  }

  #others(): string[] {
    return this.#ids.filter((id) => this.#peers.get(id)?.left === false);
  }
}

const NONE: Claims = new Map();
