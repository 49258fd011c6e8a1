// The broadcast, as one agent publishes to it. The words, their states and the invariants are in kernel/broadcast.ts.

import { ClosedError, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  IDLE,
  RACED,
  SHUT,
  WAITING,
  type AgentAddress,
  type EntryAddress,
  type LineAddress,
} from '@sluice/core/format';
import { checkTimeout, checkWait, NO_WAIT_OPTIONS, packedFor, reserveStack } from '@sluice/core/calls';
import {
  asCorrupt,
  finishPending,
  handleTo,
  retryOrThrow,
  orCorrupt,
  retryWhileRaced,
  Waitable,
  PrimitiveLine,
  type LineShape,
  type LineState,
} from '@sluice/core/internal';
import { isWaitedFor, reportLine, type LineReport } from '@sluice/core/report';
import type { ValueSlots } from './slots/byte-slots.ts';
import { SPARES } from './kernel/layout.ts';
import { BROADCAST, type BroadcastKernel, type BroadcastSteps } from './kinds.ts';
import {
  checkedSubscription,
  type BroadcastFromOptions,
  type BroadcastHandle,
  type BroadcastOptions,
  type SubscribeOptions,
} from './options.ts';
import {
  errorShapeOf,
  createBroadcast,
  LINES_WITH_MARKS,
  BEHAVIOUR,
  openBroadcast,
  type OpenedBroadcast,
} from './create-and-open.ts';
import { Publishers } from './publishers.ts';
import { capacityAt, hasMarksAt, isClosedAt, publishedAt, reportBroadcast, type BroadcastReport } from './report.ts';
import { Subscription } from './subscription.ts';

const NO_WAITERS: LineReport = { waiters: [], abandoned: 0 };

let construct: <T>(found: OpenedBroadcast) => Broadcast<T>;

const SHAPE: LineShape<BroadcastSteps> = {
  ...errorShapeOf('The value was not published.'),
  kind: BROADCAST,
  what: 'The broadcast',
  behaviour: BEHAVIOUR,
  // No call waits in the line of the broadcast itself: subscriptions and `Publishers` have waits of their own.
  enterOrEnqueue: () => () => WAITING,
};

/**
 * A channel on which every subscriber gets every value (publish/subscribe), for any number of publishing and
 * subscribing agents of an arena.
 *
 * - All subscriptions get the values in the same order, which is the order in which they were published.
 * - By default `publish` takes no lock and does not wait for subscriptions, however slow they are. The newest
 *   `capacity` values are kept. A subscription that lags behind learns how many values it lost, and continues at the
 *   oldest kept value.
 * - With `overflow: 'wait'` no subscription loses a value: publishers wait while a subscription is `capacity` values
 *   behind.
 * - A value is published whole or not at all. The death of a publisher does not stop the others.
 *
 * It corresponds to tokio's `broadcast` channel, and with `overflow: 'wait'` to a ring of the LMAX Disruptor.
 *
 * ```ts run
 * import { Broadcast } from '@sluice/broadcast';
 *
 * const prices = Broadcast.create<{ id: string; cents: number }>({ capacity: 128, name: 'prices' });
 * const [one, other] = [prices.subscribe(), prices.subscribe()];
 * prices.publish({ id: 'tea', cents: 250 });
 * prices.publish({ id: 'tea', cents: 260 });
 * prices.close();
 * console.log(one.next().cents, one.next().cents); // 250 260
 * for await (const { cents } of other) console.log(cents); // 250, then 260
 * ```
 */
export class Broadcast<T> extends Waitable {
  /** The handle to post to another thread. Pass it to `Broadcast.from` there. */
  readonly handle: BroadcastHandle<T>;
  readonly #waits: PrimitiveLine;
  readonly #found: OpenedBroadcast;
  // The fields of the uncontended path are separate, to save a lookup per call.
  readonly #stream: LineAddress;
  readonly #agent: AgentAddress;
  readonly #lineState: LineState;
  readonly #slots: ValueSlots;
  readonly #claim: BroadcastSteps['claimBroadcastSlot'];
  readonly #publish: BroadcastSteps['publishBroadcast'];
  /** The waiting publishers. Present with overflow 'wait'. */
  readonly #publishers: Publishers | undefined;
  /** The place among the spares that this agent tries first. */
  #next = 0;

  static {
    construct = (found) => new this(found);
  }

  /** `found` is `undefined` if a caller uses `new` itself. `PrimitiveLine` refuses that. */
  private constructor(found: OpenedBroadcast | undefined) {
    const waits = new PrimitiveLine(found?.ref, found?.policy as WaitingPolicy, {
      ...SHAPE,
      isAwaited: () => isWaitedFor(context, stream),
    });
    super(waits);
    const { ref, stream, slots, codec } = found as OpenedBroadcast;
    const { context } = ref;
    this.#waits = waits;
    const kernel = context.kernel as BroadcastKernel;
    this.#found = found as OpenedBroadcast;
    this.#stream = stream.address;
    this.#agent = context.agent;
    this.#lineState =
      stream === ref
        ? waits.lineState
        : context.lineState(stream.address, stream.tag, { recorded: true, line: context.load(BROADCAST).steps });
    this.#publishers = hasMarksAt(stream)
      ? new Publishers(found as OpenedBroadcast, () => this.#takeSlot())
      : undefined;
    this.#slots = slots;
    this.#claim = kernel.claimBroadcastSlot;
    this.#publish = kernel.publishBroadcast;
    this.handle = Object.freeze({ ...handleTo('sluice.broadcast', ref, BROADCAST.kernel.id), codec });
  }

  /**
   * Creates a broadcast, without values.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: BroadcastOptions<number> & { readonly codec: 'int32' | 'float64' }): Broadcast<number>;
  static create(options: BroadcastOptions<Uint8Array> & { readonly codec: 'bytes' }): Broadcast<Uint8Array>;
  static create<T>(options?: BroadcastOptions<T>): Broadcast<T>;
  static create<T>(options: BroadcastOptions<T> = {}): Broadcast<T> {
    return construct<T>(createBroadcast(options));
  }

  /**
   * Opens the broadcast that `handle` refers to. If the broadcast was created with a codec of your own, pass the same
   * codec as `codec`.
   *
   * @throws {HandleError} If the handle does not refer to a live broadcast.
   * @throws {TypeError} If the codec is not that of the broadcast.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from<T>(handle: BroadcastHandle<T>, options: BroadcastFromOptions<T> = {}): Broadcast<T> {
    return construct<T>(openBroadcast(handle, options));
  }

  /** The number of values that are kept. */
  get capacity(): number {
    this.#waits.checkThere();
    return capacityAt(this.#waits.ref);
  }

  /** The number of published values. Another agent may publish one at any moment. */
  get published(): number {
    this.#waits.checkThere();
    return publishedAt(this.#waits.ref);
  }

  /** Whether the broadcast is closed. */
  get closed(): boolean {
    this.#waits.checkThere();
    return isClosedAt(this.#waits.ref);
  }

  /**
   * Publishes a value, and wakes the subscriptions that wait for one.
   *
   * Any agent may call it at any time, even if there are no subscriptions. By default it does not wait for
   * subscriptions. With `overflow: 'wait'` it blocks the calling thread while a subscription is `capacity` values
   * behind. Waiting publishers are served in FIFO order. There are eight slots for new values. While stopped or dead
   * publishers have all of them, the call tries for up to ten seconds. If it throws, nothing was published.
   *
   * @throws {TypeError} For a value that the broadcast does not take. It may also throw `RangeError`, and the errors of
   *   the codec's `encode`.
   * @throws {ClosedError} If the broadcast is closed, before or during the wait.
   * @throws {MisuseError} If it would have to wait on a browser's main thread; use `publishAsync`.
   * @throws {DeadlockError} If it would have to wait for a subscription, or for an async call, of its own thread.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   * @throws {CorruptArenaError} After the ten seconds.
   */
  publish(value: T): void {
    const packed = packedFor(this, () => this.#slots.pack(value));
    if (this.#publishers === undefined) this.#publishNow(packed);
    else this.#publishers.publish(packed, Infinity);
  }

  /**
   * Publishes as `publish` does, waiting at most `timeoutMs` ms. Returns whether the value was published. With 0, the
   * default, the call does not wait.
   */
  tryPublish(value: T, timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const packed = packedFor(this, () => this.#slots.pack(value));
    if (this.#publishers !== undefined) return this.#publishers.publish(packed, timeoutMs);
    this.#publishNow(packed);
    return true;
  }

  /**
   * Publishes as `publish` does, without blocking the thread. The values of several calls are published in the order of
   * the calls.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with the errors of `publish`, with
   * `TimeoutError` and with `signal.reason`. Then the value was not published.
   */
  async publishAsync(value: T, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    const checked = checkWait(options);
    const packed = packedFor(this, () => this.#slots.pack(value));
    if (this.#publishers === undefined) this.#publishNow(packed);
    else await this.#publishers.publishAsync(packed, checked);
    const later = this.#waits.context.budget.spend();
    if (later !== undefined) await later;
  }

  /**
   * Creates a subscription. It gets every value from the next one on, or with `from: 'oldest'` from the oldest kept
   * value on.
   *
   * By default a subscription that is dropped leaves nothing behind. With `overflow: 'wait'` publishers wait for it
   * until it is closed or its thread has ended.
   *
   * @throws {TypeError} If an option is wrong or unknown.
   * @throws {MisuseError} With `overflow: 'wait'`, if there are `maxSubscriptions` subscriptions.
   */
  subscribe(options: SubscribeOptions = {}): Subscription<T> {
    this.#waits.checkThere();
    return new Subscription<T>(this.#found, checkedSubscription(options));
  }

  /**
   * Closes the broadcast: no further value is published. Subscriptions get the kept values, then `ClosedError`, and
   * their loops end. Closing again has no effect.
   */
  close(): void {
    reserveStack();
    const { closeBroadcast, closeHeldBroadcast } = this.#waits.context.kernel as BroadcastKernel;
    const step = this.#publishers === undefined ? closeBroadcast : closeHeldBroadcast;
    this.#waits.wake(orCorrupt(() => retryWhileRaced(() => step(this.#stream, this.#lineState.tag, this.#agent))));
  }

  /**
   * Returns a snapshot: the number of published values, the waiters and the start of each wait, and the subscriptions
   * that publishers wait for.
   */
  inspect(): BroadcastReport {
    return reportBroadcast(this.#waits.ref, this.#waitingSubscriptions(), this.#publishers?.inspect() ?? NO_WAITERS);
  }

  override free(): void {
    this.#waits.checkThere();
    this.#publishers?.checkUnused();
    this.#waits.free(this.#publishers === undefined ? 1 : LINES_WITH_MARKS);
  }

  /** The number of waiting subscriptions and publishers. The call reads the records of all waiters of the arena. */
  override get waiting(): number {
    return this.#waitingSubscriptions().waiters.length + (this.#publishers?.inspect().waiters.length ?? 0);
  }

  #waitingSubscriptions(): LineReport {
    this.#waits.checkThere();
    const { context, address, tag } = this.#found.stream;
    return reportLine(context, address, tag);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return {
      capacity: this.capacity,
      published: this.published,
      waiting: this.waiting,
      closed: this.closed ? true : undefined,
    };
  }

  #publishNow(packed: unknown): void {
    // Once a slot is taken, the call must be able to publish it.
    reserveStack();
    this.#slots.write(this.#takeSlot(), packed);
    const { tag, entry } = this.#lineState;
    let published: ReturnType<BroadcastSteps['publishBroadcast']>;
    let tries = 0;
    try {
      do published = this.#publish(this.#stream, tag, this.#agent, entry);
      while (published === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (published === IDLE) return;
    if (published !== SHUT) {
      this.#waits.wake(published);
      return;
    }
    // The earlier steps may have detached a chain for another publisher.
    this.#waits.context.finishWalk();
    this.#waits.checkThere();
    throw this.#refused();
  }

  /**
   * Takes a spare slot and returns it. It tries again only while other threads are publishing in all places, or have
   * died there.
   */
  #takeSlot(): number {
    for (let tries = 1; ; tries++) {
      for (let n = 0; n < SPARES; n++) {
        const spare = (this.#next + n) % SPARES;
        const { tag, entry } = this.#lineState;
        const claimed = this.#claimSlot(tag, entry, spare);
        if (claimed === SHUT) this.#waits.checkThere();
        if (claimed < 0) continue;
        this.#next = spare;
        return claimed;
      }
      if (!finishPending(this.#waits.context)) retryOrThrow(tries, this);
    }
  }

  #claimSlot(tag: number, entry: EntryAddress, spare: number): number {
    try {
      return this.#claim(this.#stream, tag, entry, spare);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  #refused(): ClosedError {
    return new ClosedError(`${this.toString()} is closed. The value was not published.`);
  }
}

/** Creates a broadcast over existing words. For models. */
export function broadcastAt<T>(found: OpenedBroadcast): Broadcast<T> {
  return construct<T>(found);
}
