// A subscription to a broadcast. Its position is in its own thread. No word of shared memory says that it exists,
// unless it waits for a value, or has a mark, because publishers wait for it (mark.ts).

import { ClosedError, hasCode, MisuseError, type WaitOptions } from '@sluice/core';
import {
  Account,
  asCorrupt,
  Bouncer,
  checkNotFreed,
  checkTimeout,
  checkWait,
  dispose,
  INSPECT,
  Looks,
  Loop,
  mayBlock,
  mayRetry,
  oneLine,
  plural,
  refusePosting,
  refuseToBlock,
  reserveStack,
  SHUT,
  TAKEN,
  throwIfAborted,
  WAITING,
  type EntryAddress,
  type LineAddress,
  type LocalState,
  type Place,
  type Slots,
  type Words,
} from '@sluice/core/internal';
import { Calls, type Call, type Outcome } from './calls.ts';
import { ENDED, LAGGED, READ_WORD } from './kernel/layout.ts';
import { BROADCAST, type BroadcastKernel, type BroadcastSteps } from './kinds.ts';
import { LaggedError } from './errors.ts';
import { takeMark, type Mark } from './mark.ts';
import type { SubscribeOptions } from './options.ts';
import { accountOf, MANNER, type Found } from './place.ts';
import { flowOf, isClosedAt, positionOf, publishedAt } from './report.ts';

const NO_OPTIONS: WaitOptions = {};
/** No subscription comes before another. */
const NEVER = (): boolean => false;
/** In place of a value. */
const NONE = Symbol('none');

/**
 * A subscription to a `Broadcast`: it gets every value that is published from its beginning on, in order. Each
 * subscription has a position of its own. It belongs to the thread that made it.
 *
 * A subscription that is less than the capacity behind loses nothing. One that is further behind gets a `LaggedError`,
 * which says how many values it lost, and goes on at the oldest value that is kept. With `onLag` it calls that function
 * instead.
 *
 * With `overflow: 'wait'` a subscription loses nothing. Publishers wait for it while it is `capacity` behind. Close it
 * when it is no longer read: publishers do not learn that it was dropped. It ends with its thread, too.
 */
export class Subscription<T> {
  readonly #place: Place;
  /** With overflow 'wait', until it is closed. */
  #mark: Mark | undefined;
  readonly #account: Account;
  readonly #bouncer: Bouncer;
  readonly #slots: Slots;
  readonly #onLag: ((lost: number) => void) | undefined;
  // What the uncontended path needs, each in its own field: one lookup fewer per call.
  readonly #stream: LineAddress;
  readonly #localState: LocalState;
  readonly #words: Words;
  readonly #begin: BroadcastSteps['beginBroadcastRead'];
  readonly #confirm: BroadcastSteps['confirmBroadcastRead'];
  readonly #mayBlock = mayBlock();
  readonly #calls = new Calls();
  readonly #looks: Looks;
  readonly #look = (): number => this.#visit(0);
  /** The halves of the word with which it waits: twice the position of the next value. */
  #low = 0;
  #high = 0;
  #lost = 0;
  /** The async call that looks for the next value now. */
  #finder: Call | undefined;
  #isClosed = false;

  /** Only for `Broadcast.subscribe`. */
  constructor(found: Found, { from = 'next', onLag }: SubscribeOptions) {
    refusePosting(this);
    const { place, stream, policy, slots } = found;
    const { context, address } = stream;
    const { steps: line } = context.load(BROADCAST);
    const kernel = context.kernel as BroadcastKernel;
    this.#place = place;
    this.#account = new Account(accountOf('No value was taken.'), place, stream);
    this.#bouncer = new Bouncer(stream, policy, { ...MANNER, line }, (mayWait) => this.#visit(mayWait), this.#account);
    this.#slots = slots;
    this.#onLag = onLag;
    this.#stream = address;
    this.#localState = this.#bouncer.localState;
    this.#words = context.words;
    this.#begin = kernel.beginBroadcastRead;
    this.#confirm = kernel.confirmBroadcastRead;
    const { tag, entry } = this.#localState;
    // Without the instance no call can give the mark back.
    reserveStack();
    this.#mark = takeMark(stream, from, this.#localState, () => this.toString());
    if (this.#mark === undefined && kernel.startBroadcast(address, tag, entry, from === 'oldest' ? 1 : 0) === SHUT)
      this.#checkThere();
    this.#looks = new Looks(context, flowOf(stream), policy);
    this.#moveOn(entry);
  }

  /** How many published values this subscription has neither got nor lost. Those beyond the capacity will be lost. */
  get behind(): number {
    this.#checkThere();
    if (this.#isClosed) return 0;
    return publishedAt(this.#place) - positionOf(this.#low, this.#high);
  }

  /** How many values this subscription has lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Returns the next value, blocking the calling thread until it is published. If `decode` throws, the call throws that
   * error, and the next call goes on with the next value.
   *
   * @throws {LaggedError} If values were lost. The next call goes on at the oldest value that is kept.
   * @throws {ClosedError} If the broadcast is closed and this subscription has got the last value.
   * @throws {MisuseError} On a browser's main thread; use `nextAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  next(): T {
    if (!this.#mayBlock) refuseToBlock();
    for (;;) {
      const packed = this.#take();
      if (packed !== NONE) return this.#slots.unpack(packed) as T;
      if (this.#looks.again(NEVER, Infinity, this.#look) !== WAITING) continue;
      if (this.#bouncer.enter(Infinity) === SHUT) this.#checkThere();
    }
  }

  /**
   * As `next`, waiting at most `timeoutMs`; returns `undefined` if no value came. With 0, the default, the call does
   * not wait.
   */
  tryNext(timeoutMs = 0): T | undefined {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    let packed = this.#take();
    if (packed === NONE && timeoutMs !== 0) {
      const { parking } = this.#place.context;
      const end = parking.now() + timeoutMs;
      if (
        this.#looks.again(NEVER, end, this.#look) === WAITING &&
        this.#bouncer.enter(Math.max(0, end - parking.now())) === SHUT
      )
        this.#checkThere();
      packed = this.#take();
    }
    return packed === NONE ? undefined : (this.#slots.unpack(packed) as T);
  }

  /**
   * As `next`, without blocking the thread. Several calls at once get the values in the order of the calls. `next` and
   * `tryNext` do not stand behind them: they take the next value at once.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects as `next` throws, and with
   * `TimeoutError` and `signal.reason`; then no value was taken.
   */
  async nextAsync(options: WaitOptions = NO_OPTIONS): Promise<T> {
    return this.#slots.unpack(await this.#takeLater(options)) as T;
  }

  /**
   * Iterates over the values without blocking. Each is taken when the loop asks for it. Ends after the last value of a
   * closed broadcast.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const unpack = (packed: unknown): T => this.#slots.unpack(packed) as T;
    return new Loop(
      (options) => this.#takeLater(options),
      unpack,
      (failure) => hasCode(failure, 'SLUICE_CLOSED') && (this.#isClosed || isClosedAt(this.#place)),
    );
  }

  /**
   * Ends the subscription: publishers no longer wait for it. Its later calls fail with `ClosedError`, and loops over it
   * end. Closing again has no effect.
   *
   * A loop that ends by `break` does not close it: another loop may go on.
   *
   * @throws {MisuseError} If async calls of it wait for a value. Abort them first.
   */
  close(): void {
    if (this.#isClosed) return;
    // From here on the call has to free the mark, and to wake the publishers that wait for it.
    reserveStack();
    // The call that has called `onLag` ends here with a `ClosedError`.
    const waiting = this.#calls.openBut(this.#finder);
    if (waiting > 0)
      throw new MisuseError(
        `${this.toString()}: the subscription cannot be closed while ${plural(waiting, 'call')} of it ${waiting === 1 ? 'waits' : 'wait'}. Abort ${waiting === 1 ? 'it' : 'them'} first. Nothing was changed.`,
      );
    this.#isClosed = true;
    this.#mark?.free();
    this.#mark = undefined;
  }

  /** As `close`: for `using`. */
  [dispose](): void {
    this.close();
  }

  /** The title that messages use, such as "Broadcast 'prices'". */
  toString(): string {
    return this.#account.toString();
  }

  [INSPECT](): string {
    return oneLine('Subscription', () => ({
      of: this.toString(),
      behind: this.behind,
      lost: this.lost,
      closed: this.#isClosed ? true : undefined,
    }));
  }

  #visit(mayWait: number): ReturnType<BroadcastSteps['enqueueAtBroadcast']> {
    const { context, tag } = this.#place;
    return (context.kernel as BroadcastKernel).enqueueAtBroadcast(
      this.#stream,
      tag,
      context.agent,
      mayWait,
      this.#low,
      this.#high,
    );
  }

  /** Takes the next packed value, and returns it or a promise of it. */
  #takeLater(options: WaitOptions): unknown {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    const packed = this.#calls.isEmpty ? this.#take() : NONE;
    if (packed === NONE) return this.#takeInTurn(checked);
    const later = this.#place.context.budget.spend();
    return later === undefined ? packed : later.then(() => packed);
  }

  async #takeInTurn(options: WaitOptions): Promise<unknown> {
    const { timeout = Infinity, signal } = options;
    const { parking } = this.#place.context;
    const deadline = parking.now() + timeout;
    const call = this.#calls.begin(signal);
    try {
      for (let left = timeout; ; left = Math.max(0, deadline - parking.now())) {
        await this.#enterLater(left === timeout ? options : { ...options, timeout: left }, timeout, call);
        if (call.outcome === undefined) this.#giveNext(call);
        // `giveNext` may have given it to this call.
        const { outcome } = call;
        if (outcome !== undefined) {
          if ('failure' in outcome) throw outcome.failure;
          return outcome.packed;
        }
        // Another call has got the value.
        throwIfAborted(signal);
      }
    } finally {
      this.#calls.end(call);
    }
  }

  /** Waits for a value. `timeout`: that of the whole call, for its error. */
  async #enterLater(options: WaitOptions, timeout: number, call: Call): Promise<void> {
    call.isGranted = false;
    try {
      if ((await this.#bouncer.enterAsync(options, () => (call.isGranted = true), timeout)) === SHUT)
        this.#checkThere();
    } catch (failure) {
      // An outcome that another call has found wins.
      if (call.outcome !== undefined) return;
      throw failure;
    }
  }

  /** Takes the next value, or learns why there is none, for the call whose turn it is. */
  #giveNext(finder: Call): void {
    let outcome: Outcome;
    this.#finder = finder;
    try {
      const packed = this.#take();
      if (packed === NONE) return;
      outcome = { packed };
    } catch (failure) {
      outcome = { failure };
    } finally {
      this.#finder = undefined;
    }
    this.#calls.give(outcome, finder);
  }

  /** Takes the next value. NONE: there is none yet. */
  #take(): unknown {
    this.#checkOpen();
    for (let tries = 1; ; tries++) {
      const { tag, entry } = this.#localState;
      const low = this.#low;
      const high = this.#high;
      const slot = this.#beginRead(tag, entry, low, high);
      if (slot >= 0) {
        const packed = this.#slots.read(slot);
        if (this.#mark === undefined ? this.#isWhole(tag, entry, low, high, slot) : this.#mark.pass(low, high)) {
          this.#moveOn(entry);
          return packed;
        }
      } else if (slot === WAITING) return NONE;
      else if (slot === ENDED) throw this.#account.closed();
      else if (slot === LAGGED) {
        this.#noteLoss(entry);
        // `onLag` may have closed it.
        this.#checkOpen();
        // No race was lost: the position has moved on.
        tries = 0;
        continue;
      } else this.#checkThere();
      mayRetry(tries, this);
    }
  }

  #beginRead(
    tag: number,
    entry: EntryAddress,
    low: number,
    high: number,
  ): ReturnType<BroadcastSteps['beginBroadcastRead']> {
    try {
      return this.#begin(this.#stream, tag, entry, low, high);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  #isWhole(tag: number, entry: EntryAddress, low: number, high: number, slot: number): boolean {
    try {
      return this.#confirm(this.#stream, tag, entry, low, high, slot) === TAKEN;
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  /** To the position that a step has left for this agent. */
  #moveOn(entry: number): void {
    this.#low = this.#words.get32(entry + READ_WORD);
    this.#high = this.#words.get32(entry + READ_WORD + 4);
  }

  #noteLoss(entry: number): void {
    const before = positionOf(this.#low, this.#high);
    this.#moveOn(entry);
    const lost = positionOf(this.#low, this.#high) - before;
    this.#lost += lost;
    if (this.#onLag === undefined) throw new LaggedError(this.toString(), lost);
    this.#onLag(lost);
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new ClosedError(`${this.toString()}: the subscription is closed. No value was taken.`);
  }

  #checkThere(): void {
    checkNotFreed(this.#place, 'The broadcast');
  }
}
