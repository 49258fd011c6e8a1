// The waits of one session at latches and barriers, and the parts of these that it owns.
//
// 1. A wait that has ended has a record on the server. The session tells the server that it has learned of the end with
//    its next arrival at the same primitive, or with its next heartbeat. Then the server removes the record.
// 2. A session counts the generations of a barrier that it has seen end, and tells the server. If the server knows of
//    fewer, it has lost calls.
// 3. A new session has lost the parts that the earlier session owned. The first call at such a primitive reports that.

import { LeaseLostError } from '../engine/errors.ts';
import { ENDING } from '../engine/protocol.ts';
import type { RoundLine } from '../line/round-line.ts';

/** A wait at a latch or a barrier that is listed. */
export interface ListedRoundWait {
  readonly line: RoundLine;
  readonly seq: number;
  readonly acts: 0 | 1;
  readonly inLine: boolean;
  readonly asked: boolean;
  end(code: number): void;
  fail(reason: unknown): void;
  /** Sends the wait again. */
  enqueue(): void;
}

/** The number of ended waits that one arrival lets the server forget. A heartbeat lets it forget the others. */
const MAX_LEARNED = 100;

/** The primitive, the number of the wait, whether it has an action, and whether the server may forget it. */
export type RoundEntry = readonly [key: string, seq: number, acts: 0 | 1, learned: 0 | 1];

export class Rounds {
  readonly #waits = new Map<number, ListedRoundWait>();
  readonly #acting = new Set<number>();
  /** Ended waits with a record on the server. */
  readonly #learned = new Map<string, Set<number>>();
  readonly #seen = new Map<string, number>();
  /** The primitives of which this session owns a part, with the round of its last change there. */
  readonly #owned = new Map<string, number>();
  /** The primitives of which the earlier session owned a part, if no caller was told yet. */
  readonly #lost: Set<string>;

  constructor(former: Rounds | undefined) {
    this.#lost = new Set(former === undefined ? [] : [...former.#lost, ...former.#owned.keys()]);
  }

  /** The number of waits. */
  get size(): number {
    return this.#waits.size;
  }

  /** The number of generations of each barrier that this session has seen end. */
  get allSeen(): Iterable<readonly [key: string, round: number]> {
    return this.#seen;
  }

  list(wait: ListedRoundWait): void {
    this.#waits.set(wait.seq, wait);
  }

  unlist(wait: ListedRoundWait): void {
    this.#waits.delete(wait.seq);
  }

  /** Whether the server's entry under this number is still wanted. */
  knows(seq: number): boolean {
    return this.#waits.has(seq) || this.#acting.has(seq);
  }

  /** Returns the entries for a heartbeat: the waits to ask about, and the waits that the server may forget. */
  listed(): RoundEntry[] {
    const waits = [...this.#waits.values()]
      .filter((wait) => wait.inLine)
      .map(({ line, seq, acts }): RoundEntry => [line.key, seq, acts, 0]);
    const learned = [...this.#learned].flatMap(([key, seqs]) => [...seqs].map((seq): RoundEntry => [key, seq, 0, 1]));
    return [...waits, ...learned];
  }

  /** Called when the server has forgotten the entries that it may forget. */
  forgotten(entries: readonly (readonly [key: string, seq: number, permits: number, told: 0 | 1])[]): void {
    for (const [key, seq, , learned] of entries) if (learned === 1) this.#learned.get(key)?.delete(seq);
  }

  /** Records that the server may forget how a wait ended. */
  learn(key: string, seq: number): void {
    const learned = this.#learned.get(key);
    if (learned === undefined) this.#learned.set(key, new Set([seq]));
    else learned.add(seq);
  }

  /** Takes the ended waits of one primitive that the server may forget, or a part of them: a call must be short. */
  takeLearned(key: string): number[] {
    const learned = this.#learned.get(key);
    if (learned === undefined) return [];
    const some = [...learned].slice(0, MAX_LEARNED);
    for (const seq of some) learned.delete(seq);
    return some;
  }

  putBack(key: string, learned: readonly number[]): void {
    for (const seq of learned) this.learn(key, seq);
  }

  seen(key: string): number {
    return this.#seen.get(key) ?? 0;
  }

  /** Records the number of rounds that have ended. */
  saw({ key, isBarrier }: RoundLine, round: number): void {
    if (isBarrier && round > this.seen(key)) this.#seen.set(key, round);
  }

  /** Records that the server has ended a wait, or lets it run its action. Returns false if the wait already knows. */
  ended(seq: number, code: number, round: number): boolean {
    const wait = this.#waits.get(seq);
    if (wait === undefined) return false;
    if (code === ENDING.acts) {
      this.saw(wait.line, round);
      this.#acting.add(seq);
    } else {
      this.#end(wait.line, seq, round);
    }
    wait.end(code);
    return true;
  }

  /** Records that the action of a call has run, and that the server has ended the round. */
  acted(line: RoundLine, seq: number, round: number): void {
    this.#acting.delete(seq);
    this.#end(line, seq, round);
  }

  /** Takes in a message about ended waits (`MESSAGE.ended`). Returns the numbers of its waits. */
  told(message: string): number[] {
    const [, round, ...all] = message.split(' ');
    return all.map((each) => {
      const [seq = 0, code = 0] = each.split(':').map(Number);
      this.#news(seq, code, Number(round));
      return seq;
    });
  }

  /**
   * Takes in the answer of a heartbeat about a wait. Returns true if the wait has ended and no message has said so yet.
   */
  take(seq: number, answer: string): boolean {
    if (answer === 'lost') {
      const wait = this.#waits.get(seq);
      if (wait?.inLine === true) wait.enqueue();
      return false;
    }
    const [code, round] = answer.split(':').map(Number);
    return this.#news(seq, code ?? 0, round ?? 0);
  }

  /**
   * Takes in a message, or an answer of a heartbeat. Of a wait that sent its `cancel`, only the answer to that decides:
   * the message of a break that the `cancel` causes may come before.
   */
  #news(seq: number, code: number, round: number): boolean {
    return this.#waits.get(seq)?.asked !== true && this.ended(seq, code, round);
  }

  /** Records the part of a primitive that this session owns in that round. */
  own(key: string, n: number, round: number): void {
    if (n > 0) this.#owned.set(key, round);
    else this.#owned.delete(key);
  }

  /** Throws `LeaseLostError` once if the earlier session owned a part of the primitive. */
  checkOwned({ key, title, isBarrier }: RoundLine): void {
    if (!this.#lost.delete(key)) return;
    const gone = isBarrier
      ? 'its parties have left, and the generation was broken'
      : 'what it had claimed has been counted down';
    throw new LeaseLostError(`${title}: the lease of this process ended, so ${gone}. This call changed nothing.`);
  }

  /** Fails the waits in line, because the session ended. The calls of the other waits reject. */
  end(reason: Error): void {
    for (const wait of [...this.#waits.values()]) if (wait.inLine) wait.fail(reason);
  }

  #end(line: RoundLine, seq: number, round: number): void {
    this.saw(line, round + 1);
    // A claim on a count ends with its round.
    if (!line.isBarrier && (this.#owned.get(line.key) ?? Infinity) <= round) this.#owned.delete(line.key);
    this.learn(line.key, seq);
  }
}
