// The memory and parking that one agent's code sees. Logged operations are answered from the log. The first scheduling
// point past the log is captured. The run may go on behind it (ahead.ts); in the end it stops the agent by throwing a
// token. Operations during the unwinding have no effect.

import { Ahead } from './ahead.ts';
import { codeOf, Log, type Answer, type Removed } from './log.ts';
import * as op from './operation.ts';
import type { Deed } from './deed.ts';
import type { Stride } from './recall.ts';
import type { Session } from './session.ts';
import type { Parking, WaitResult, Words } from './types.ts';
import { watchFrom, type Watch } from './watch.ts';

/** A single object for all stops: a throw of an existing error captures no stack. */
const STOP = new Error('the model explorer stops an agent here: code under test lets this pass');
const LOCAL_LIMIT = 100_000;
const NOTHING: readonly number[] = [];

export class Seam implements Words, Parking {
  readonly log: Log;
  /** The outcome of the last run. */
  stopped = false;
  pending: op.Operation | undefined;
  watch: Watch | undefined;
  /** Rounds without effect that the last runs removed from the log. */
  removed: Removed[] = [];
  /**
   * The deeds of the last run past the log. `undefined` if the agent spun: its deeds then depend on more than its log.
   */
  deeds: Deed[] | undefined;
  readonly ahead: Ahead;
  readonly #session: Session;
  readonly #index: number;
  #position = 0;
  #known = 0;
  #local = 0;
  #goesOn = false;

  constructor(session: Session, index: number) {
    this.#session = session;
    this.#index = index;
    this.log = new Log(index);
    this.ahead = new Ahead(session, this.log);
  }

  /** Begins a run of the body. `goesOn` says whether it goes on behind its first scheduling point. */
  begin(goesOn: boolean): void {
    this.#goesOn = goesOn;
    this.ahead.stretches.length = 0;
    this.stopped = false;
    this.pending = undefined;
    this.watch = undefined;
    this.deeds = [];
    this.#position = 0;
    this.#known = this.log.length;
    this.#local = 0;
  }

  /** Ends a run that went on: from here on, it has stopped at its first scheduling point. */
  end(outcome: unknown): void {
    const { ahead, deeds, stopped } = this;
    if (!stopped && deeds !== undefined) ahead.keep(deeds, undefined, outcome);
    this.deeds = ahead.end();
    this.stopped = true;
  }

  /** Performs known deeds again. Returns false if an answer differed: the deeds after it are unknown. */
  retrace({ deeds, state, isAhead }: Stride): boolean {
    this.watch = undefined;
    this.#local = 0;
    this.stopped = false;
    for (const deed of deeds) {
      if (isAhead) this.#touchWordsOf(deed);
      if (this.#repeat(deed) !== deed.answer) return false;
    }
    if (isAhead) this.#touchWordsOf(state.operation);
    return true;
  }

  /** Whether the code that runs now has never run before. */
  get isFresh(): boolean {
    return !this.stopped && this.#position === this.log.length && this.#position >= this.#known;
  }

  load32(address: number): number {
    return this.#do32(op.LOAD32, address, 0, 0);
  }
  store32(address: number, value: number): void {
    this.#do32(op.STORE32, address, value, 0);
  }
  add32(address: number, delta: number): number {
    return this.#do32(op.ADD32, address, delta, 0);
  }
  cas32(address: number, expected: number, value: number): number {
    return this.#do32(op.CAS32, address, expected, value);
  }
  exchange32(address: number, value: number): number {
    return this.#do32(op.EXCHANGE32, address, value, 0);
  }
  get32(address: number): number {
    return this.#do32(op.GET32, address, 0, 0);
  }
  put32(address: number, value: number): void {
    this.#do32(op.PUT32, address, value, 0);
  }
  load64(address: number): bigint {
    return this.#do64(op.LOAD64, address, 0n, 0n);
  }
  store64(address: number, value: bigint): void {
    this.#do64(op.STORE64, address, value, 0n);
  }
  add64(address: number, delta: bigint): bigint {
    return this.#do64(op.ADD64, address, delta, 0n);
  }
  cas64(address: number, expected: bigint, value: bigint): bigint {
    return this.#do64(op.CAS64, address, expected, value);
  }
  get64(address: number): bigint {
    return this.#do64(op.GET64, address, 0n, 0n);
  }
  put64(address: number, value: bigint): void {
    this.#do64(op.PUT64, address, value, 0n);
  }

  wait(address: number, expected: number, timed = false): WaitResult {
    if (this.#replaying) return this.#replay(op.WAIT, address) as WaitResult;
    this.#check(address, 4);
    this.#touch(address >> 2);
    return this.#stop(op.WAIT, address, expected, timed ? 1 : 0) as WaitResult;
  }

  notify(address: number, count = Infinity): number {
    if (this.#replaying) return this.#replay(op.NOTIFY, address) as number;
    this.#check(address, 4);
    return this.#stop(op.NOTIFY, address, count, 0) as number;
  }

  fate(agent: number): number {
    return this.#do32(op.DEAD, this.#session.fates + 4 * agent, 0, 0);
  }

  waitForDeath(agent: number): number {
    const address = this.#session.fates + 4 * agent;
    if (this.#replaying) return this.#replay(op.WAIT_FOR_DEATH, address) as number;
    this.#touch(address >> 2);
    return this.#stop(op.WAIT_FOR_DEATH, address, 0, 0) as number;
  }

  /** Returns one of n branches. At a step, branch 1 is death. */
  branch(kind: number, n: number, label: string): number {
    if (this.#replaying) return this.#replay(kind, 0) as number;
    if (kind === op.CHOOSE || this.#session.deathsLeft > 0) return this.#stop(kind, 0, n, 0, label) as number;
    this.#count();
    this.log.append32(codeOf(kind, 0), 0, true);
    return this.#advance(kind, 0, n, 0, 0);
  }

  beginRound(): void {
    if (this.#replaying) {
      this.#replay(op.PAUSE, 0);
      return;
    }
    this.#count();
    this.#appendPause();
    this.#advance(op.PAUSE, 0, 0, 0, undefined);
  }

  /**
   * Ends a round of a spin loop. `stateless` says that the round left nothing behind, whatever it read. Otherwise the
   * round is dropped only if it repeats the previous one.
   */
  endRound(stateless: boolean): void {
    if (this.#replaying) {
      this.#replay(op.PAUSE, 0);
      return;
    }
    this.#endAhead();
    this.deeds = undefined;
    const start = this.log.roundStart();
    const watch = watchFrom(this.log, start);
    // A spinning agent must stop between rounds, so that the other agents can run.
    const known = watch.addresses.map((address) => this.#session.sharing.demand(address >> 2));
    if (known.includes(false)) this.#stop(op.PAUSE, 0, 0, 0);
    if (this.log.isPause(start - 1) && (stateless || this.log.repeatsRound(start))) {
      this.#count();
      this.removed.push(this.log.truncate(start));
      this.#position = start;
    } else {
      this.beginRound();
    }
    this.watch = watch;
  }

  forget(count: number, summary: readonly number[]): void {
    if (this.#replaying) {
      this.#replay(op.FORGET, 0);
      return;
    }
    this.#count();
    this.log.appendForget(codeOf(op.FORGET, 0), count, summary);
    this.#advance(op.FORGET, 0, count, 0, undefined, summary);
  }

  fail(kind: 'assertion' | 'error' | 'livelock', message: string): never {
    if (!this.stopped && !this.ahead.isOn) this.#session.fail(kind, message);
    this.stopped = true;
    this.#position = this.log.length;
    throw STOP;
  }

  get #replaying(): boolean {
    return this.#position < this.log.length;
  }

  #replay(kind: number, address: number): Answer {
    const at = this.#position;
    const recorded = this.log.codes[at] as number;
    if (recorded !== codeOf(kind, address)) {
      const then = `${op.NAMES[recorded & 31] ?? '?'} of 0x${(recorded >>> 5).toString(16)}`;
      const now = `${op.NAMES[kind] ?? '?'} of 0x${address.toString(16)}`;
      this.fail('error', `the body is not deterministic: given the same answers it did ${then}, then ${now}`);
    }
    this.#position = at + 1;
    return this.log.answers[at] as Answer;
  }

  #do32(kind: number, address: number, first: number, second: number): number {
    if (this.#replaying) return this.#replay(kind, address) as number;
    if (kind !== op.DEAD) this.#check(address, 4);
    const shared = this.#touch(address >> 2);
    const local = kind === op.GET32 || kind === op.PUT32;
    if (shared && (!local || this.#session.scheduleLocal)) return this.#stop(kind, address, first, second) as number;
    this.#count();
    return this.#advance(kind, address, first, second, this.#perform32(kind, address, first, second));
  }

  #do64(kind: number, address: number, first: bigint, second: bigint): bigint {
    if (this.#replaying) return this.#replay(kind, address) as bigint;
    this.#check(address, 8);
    const low = this.#touch(address >> 2);
    const high = this.#touch((address >> 2) + 1);
    const local = kind === op.GET64 || kind === op.PUT64;
    if ((low || high) && (!local || this.#session.scheduleLocal))
      return this.#stop(kind, address, first, second) as bigint;
    this.#count();
    return this.#advance(kind, address, first, second, this.#perform64(kind, address, first, second));
  }

  #perform32(kind: number, address: number, first: number, second: number): number {
    const { memory, trace } = this.#session;
    const before = memory.mark;
    const old = op.execute32(memory, kind, address, first, second);
    trace?.operation(this.#index, { kind, address, first, second, label: '' }, old);
    const answer = op.answers(kind) ? old : 0;
    this.log.append32(codeOf(kind, address), answer, memory.mark === before && op.answers(kind));
    return answer;
  }

  #perform64(kind: number, address: number, first: bigint, second: bigint): bigint {
    const { memory, trace } = this.#session;
    const before = memory.mark;
    const old = op.execute64(memory, kind, address, first, second);
    trace?.operation(this.#index, { kind, address, first, second, label: '' }, old);
    const answer = op.answers(kind) ? old : 0n;
    this.log.append64(codeOf(kind, address), answer, memory.mark === before && op.answers(kind));
    return answer;
  }

  #repeat({ kind, address, first, second, summary }: Deed): Answer | undefined {
    if (op.isWide(kind)) return this.#perform64(kind, address, first as bigint, second as bigint);
    if (kind === op.STEP) this.log.append32(codeOf(kind, 0), 0, true);
    else if (kind === op.PAUSE) this.#appendPause();
    else if (kind === op.FORGET) this.log.appendForget(codeOf(kind, 0), first as number, summary);
    else return this.#perform32(kind, address, first as number, second as number);
    return kind === op.STEP ? 0 : undefined;
  }

  /** Returns whether the word is shared. Records the access, unless no agent has come as far yet. */
  #touch(word: number): boolean {
    const { sharing } = this.#session;
    return this.ahead.isOn ? sharing.isShared(word) : sharing.touch(word, this.#index);
  }

  #touchWordsOf({ kind, address }: Pick<Deed, 'kind' | 'address'>): void {
    if (kind > op.WAIT_FOR_DEATH && kind !== op.WAIT) return;
    this.#touch(address >> 2);
    if (op.isWide(kind)) this.#touch((address >> 2) + 1);
  }

  #appendPause(): void {
    this.log.append32(codeOf(op.PAUSE, 0), 0, false);
  }

  #check(address: number, size: number): void {
    if (address >= 0 && address % size === 0 && address + size <= this.#session.bytes) return;
    this.fail('error', `address 0x${address.toString(16)} is outside the memory or not a multiple of ${size}`);
  }

  #count(): void {
    if (this.stopped) throw STOP;
    this.#local += 1;
    if (this.#local > LOCAL_LIMIT) this.#overrun();
  }

  /**
   * Stops an endless loop. If the agent waits for a word that no other agent has touched yet, the search starts again
   * with that word as shared.
   */
  #overrun(): never {
    this.#endAhead();
    const { sharing } = this.#session;
    for (let at = this.#known; at < this.log.length; at += 1) {
      const code = this.log.codes[at] as number;
      if ((code & 31) <= op.DEAD) sharing.demand((code >>> 5) >> 2);
    }
    if (sharing.outdated) this.#stop(op.PAUSE, 0, 0, 0);
    this.fail('livelock', 'an agent goes on for ever without a scheduling point');
  }

  #advance<T extends Answer | undefined>(
    kind: number,
    address: number,
    first: op.Value,
    second: op.Value,
    answer: T,
    summary: readonly number[] = NOTHING,
  ): T {
    this.#position = this.log.length;
    this.deeds?.push({ kind, address, first, second, answer, summary });
    return answer;
  }

  /** Stops at a scheduling point, or goes on behind it. Returns the answer that the operation then has. */
  #stop(kind: number, address: number, first: op.Value, second: op.Value, label = ''): Answer {
    // A second stop comes from code that runs while the first stop unwinds. The first stop counts.
    if (this.stopped) throw STOP;
    const answer = this.#goOn({ kind, address, first, second, label });
    if (answer !== undefined) return answer;
    this.stopped = true;
    throw STOP;
  }

  #goOn(operation: op.Operation): Answer | undefined {
    const { ahead, deeds } = this;
    if (!ahead.isOn) this.pending = operation;
    if (!this.#goesOn || deeds === undefined) return undefined;
    if (ahead.isOn) ahead.keep(deeds, operation);
    else ahead.begin(deeds);
    const answer = ahead.perform(operation);
    if (answer === undefined) return undefined;
    this.deeds = [];
    this.#position = this.log.length;
    return answer;
  }

  /** Stops a run that is behind its first scheduling point. */
  #endAhead(): void {
    if (!this.ahead.isOn) return;
    this.stopped = true;
    throw STOP;
  }
}
