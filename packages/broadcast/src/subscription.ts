// A subscription to a broadcast. Its position is in its own thread. Shared memory records a subscription only while it
// waits for a value, or if it has a mark. Publishers wait for the slowest mark (mark.ts).

import { ClosedError, hasCode, MisuseError, type WaitOptions } from '@sluice/core';
import { SHUT, TAKEN, WAITING, type EntryAddress, type LineAddress } from '@sluice/core/format';
import {
  NO_WAIT_OPTIONS,
  checkTimeout,
  checkWait,
  dispose,
  INSPECT,
  TakeIterator,
  consoleText,
  plural,
  refusePosting,
  refuseToBlock,
  reserveStack,
  throwIfAborted,
} from '@sluice/core/calls';
import {
  PrimitiveErrors,
  asCorrupt,
  WaitLine,
  checkNotFreed,
  deadlineIn,
  leftUntil,
  EntryDelay,
  mayBlock,
  retryOrThrow,
  type LineState,
  type BlockRef,
  type Words,
} from '@sluice/core/internal';
import type { ValueSlots } from './slots/byte-slots.ts';
import { SubscriptionCalls, type SubscriptionCall, type ReceiveOutcome } from './subscription-calls.ts';
import { READ_WORD } from './kernel/layout.ts';
import { ENDED, LAGGED } from './kernel/outcomes.ts';
import { BROADCAST, type BroadcastKernel, type BroadcastSteps } from './kinds.ts';
import { LaggedError } from './errors.ts';
import { takeMark, type Mark } from './mark.ts';
import type { SubscribeOptions } from './options.ts';
import { errorShapeOf, BEHAVIOUR, type OpenedBroadcast } from './create-and-open.ts';
import { flowOf, isClosedAt, positionOf, publishedAt } from './report.ts';

/** For a wait before which no other call comes. */
const NEVER = (): boolean => false;
/** Stands for a missing value. */
const NONE = Symbol('none');

/**
 * A subscription to a `Broadcast`. It gets every value that is published after it begins, in order. Each subscription
 * has its own position, and belongs to the thread that created it.
 *
 * A subscription that is fewer than `capacity` values behind loses nothing. If it is further behind, its next call
 * throws `LaggedError` with the number of lost values. It then continues at the oldest kept value. With `onLag`, it
 * calls that function instead of throwing.
 *
 * With `overflow: 'wait'` a subscription loses nothing. Publishers wait for it while it is `capacity` behind. Close it
 * when you no longer read from it: publishers do not learn that the object was dropped. The end of its thread ends it,
 * too.
 */
export class Subscription<T> {
  readonly #ref: BlockRef;
  /** The mark. Present with overflow 'wait' until the subscription is closed. */
  #mark: Mark | undefined;
  readonly #errors: PrimitiveErrors;
  readonly #waitLine: WaitLine;
  readonly #slots: ValueSlots;
  readonly #onLag: ((lost: number) => void) | undefined;
  // The fields of the uncontended path are separate, to save a lookup per call.
  readonly #stream: LineAddress;
  readonly #lineState: LineState;
  readonly #words: Words;
  readonly #begin: BroadcastSteps['beginBroadcastRead'];
  readonly #confirm: BroadcastSteps['confirmBroadcastRead'];
  readonly #mayBlock = mayBlock();
  readonly #calls = new SubscriptionCalls();
  readonly #looks: EntryDelay;
  readonly #look = (): number => this.#visit(0);
  /** The halves of the word with which the subscription waits: twice the position of the next value. */
  #low = 0;
  #high = 0;
  #lost = 0;
  /** The async call that is looking for the next value. */
  #finder: SubscriptionCall | undefined;
  #isClosed = false;

  /** Only for `Broadcast.subscribe`. */
  constructor(found: OpenedBroadcast, { from = 'next', onLag }: SubscribeOptions) {
    refusePosting(this);
    const { ref, stream, policy, slots } = found;
    const { context, address } = stream;
    const { steps: line } = context.load(BROADCAST);
    const kernel = context.kernel as BroadcastKernel;
    this.#ref = ref;
    this.#errors = new PrimitiveErrors(errorShapeOf('No value was taken.'), ref, stream);
    this.#waitLine = new WaitLine(
      stream,
      policy,
      { ...BEHAVIOUR, line },
      (mayWait) => this.#visit(mayWait),
      this.#errors,
    );
    this.#slots = slots;
    this.#onLag = onLag;
    this.#stream = address;
    this.#lineState = this.#waitLine.lineState;
    this.#words = context.words;
    this.#begin = kernel.beginBroadcastRead;
    this.#confirm = kernel.confirmBroadcastRead;
    const { tag, entry } = this.#lineState;
    // If the constructor overflowed the stack after it took the mark, no call could free the mark.
    reserveStack();
    this.#mark = takeMark(stream, from, this.#lineState, () => this.toString());
    if (this.#mark === undefined && kernel.startBroadcast(address, tag, entry, from === 'oldest' ? 1 : 0) === SHUT)
      this.#checkThere();
    this.#looks = new EntryDelay(context, flowOf(stream), policy);
    this.#moveOn(entry);
  }

  /**
   * The number of published values that this subscription has neither got nor lost. Values beyond the capacity will be
   * lost.
   */
  get behind(): number {
    this.#checkThere();
    if (this.#isClosed) return 0;
    return publishedAt(this.#ref) - positionOf(this.#low, this.#high);
  }

  /** The number of values that this subscription has lost so far. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * Returns the next value, blocking the calling thread until it is published. If `decode` throws, the call throws that
   * error, and the next call continues with the next value.
   *
   * @throws {LaggedError} If values were lost. The next call continues at the oldest kept value.
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
      if (this.#waitLine.enter(Infinity) === SHUT) this.#checkThere();
    }
  }

  /**
   * Returns the next value as `next` does, waiting at most `timeoutMs` ms. Returns `undefined` if no value came. With
   * 0, the default, the call does not wait.
   */
  tryNext(timeoutMs = 0): T | undefined {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    let packed = this.#take();
    if (packed === NONE && timeoutMs !== 0) {
      const { parking } = this.#ref.context;
      const end = deadlineIn(parking, timeoutMs);
      if (
        this.#looks.again(NEVER, end, this.#look) === WAITING &&
        this.#waitLine.enter(leftUntil(parking, end)) === SHUT
      )
        this.#checkThere();
      packed = this.#take();
    }
    return packed === NONE ? undefined : (this.#slots.unpack(packed) as T);
  }

  /**
   * Resolves with the next value, without blocking the thread. Pending calls get values in the order of the calls.
   * `next` and `tryNext` do not wait behind pending calls: they take the next value at once.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with the errors of `next`, with
   * `TimeoutError` and with `signal.reason`. Then no value was taken.
   */
  async nextAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<T> {
    return this.#slots.unpack(await this.#takeAsync(options)) as T;
  }

  /**
   * Iterates over the values without blocking. It takes a value when the loop asks for one. Ends after the last value
   * of a closed broadcast.
   */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const unpack = (packed: unknown): T => this.#slots.unpack(packed) as T;
    return new TakeIterator(
      (options) => this.#takeAsync(options),
      unpack,
      (failure) => hasCode(failure, 'SLUICE_CLOSED') && (this.#isClosed || isClosedAt(this.#ref)),
    );
  }

  /**
   * Ends the subscription: publishers no longer wait for it. Its later calls fail with `ClosedError`, and loops over it
   * end. Closing again has no effect.
   *
   * A loop that ends by `break` does not close the subscription: another loop may continue.
   *
   * @throws {MisuseError} If async calls of this subscription wait for a value. Abort them first.
   */
  close(): void {
    if (this.#isClosed) return;
    // From here on the call must free the mark and wake the publishers that wait for it.
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

  /** Closes the subscription at the end of a `using` block. */
  [dispose](): void {
    this.close();
  }

  /** Returns the title for messages, such as "Broadcast 'prices'". */
  toString(): string {
    return this.#errors.toString();
  }

  [INSPECT](): string {
    return consoleText('Subscription', () => ({
      of: this.toString(),
      behind: this.behind,
      lost: this.lost,
      closed: this.#isClosed ? true : undefined,
    }));
  }

  #visit(mayWait: number): ReturnType<BroadcastSteps['enqueueAtBroadcast']> {
    const { context, tag } = this.#ref;
    return (context.kernel as BroadcastKernel).enqueueAtBroadcast(
      this.#stream,
      tag,
      context.agent,
      mayWait,
      this.#low,
      this.#high,
    );
  }

  /** Takes the next packed value. Returns it, or a promise of it. */
  #takeAsync(options: WaitOptions): unknown {
    const checked = checkWait(options);
    const packed = this.#calls.isEmpty ? this.#take() : NONE;
    if (packed === NONE) return this.#takeInOrder(checked);
    const later = this.#ref.context.budget.spend();
    return later === undefined ? packed : later.then(() => packed);
  }

  async #takeInOrder(options: WaitOptions): Promise<unknown> {
    const { timeout = Infinity, signal } = options;
    const { parking } = this.#ref.context;
    const deadline = deadlineIn(parking, timeout);
    const call = this.#calls.begin(signal);
    try {
      for (let left = timeout; ; left = leftUntil(parking, deadline)) {
        await this.#enterAsync(left === timeout ? options : { ...options, timeout: left }, timeout, call);
        if (call.outcome === undefined) this.#giveNext(call);
        // `giveNext` of another call may have given this call an outcome.
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

  /** Waits for a value. `timeout` is that of the whole call, for its error. */
  async #enterAsync(options: WaitOptions, timeout: number, call: SubscriptionCall): Promise<void> {
    call.isGranted = false;
    try {
      if ((await this.#waitLine.enterAsync(options, () => (call.isGranted = true), timeout)) === SHUT)
        this.#checkThere();
    } catch (failure) {
      // An outcome that another call has found wins over the abort.
      if (call.outcome !== undefined) return;
      throw failure;
    }
  }

  /** Takes the next value, or finds the reason why there is none. Gives the result to the call that comes next. */
  #giveNext(finder: SubscriptionCall): void {
    let outcome: ReceiveOutcome;
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

  /** Takes the next value. Returns NONE if there is none yet. */
  #take(): unknown {
    this.#checkOpen();
    for (let tries = 1; ; tries++) {
      const { tag, entry } = this.#lineState;
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
      else if (slot === ENDED) throw this.#errors.closed();
      else if (slot === LAGGED) {
        this.#noteLoss(entry);
        // `onLag` may have closed the subscription.
        this.#checkOpen();
        // No race was lost: the position has advanced.
        tries = 0;
        continue;
      } else this.#checkThere();
      retryOrThrow(tries, this);
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

  /** Moves to the position that a step has left in this agent's entry. */
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
    checkNotFreed(this.#ref, 'The broadcast');
  }
}
