// The auto-reset event: one word as box office, in front of core's fair semaphore as the bouncer.
// After Preshing, "Semaphores are Surprisingly Versatile", section 2 (AutoResetEvent). Our additions: cancellation and
// recovery. The words, states and invariants are in kernel/event.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { IDLE, RACED, TAKEN, type AgentAddress } from '@sluice/core/format';
import { checkTimeout, refuseToBlock } from '@sluice/core/calls';
import {
  asCorrupt,
  createLine,
  handleTo,
  mayBlock,
  retryOrThrow,
  openWithPolicy,
  Waitable,
  PrimitiveLine,
  type LineShape,
  type LineState,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { EVENT, type EventKernel, type EventSteps } from './kinds.ts';
import { isSignalled, reportEvent, type AutoResetEventReport } from './report.ts';

export type AutoResetEventHandle = PrimitiveHandle<'sluice.auto-reset-event'>;
export type AutoResetEventOptions = LockOptions;

const SHAPE: LineShape<EventSteps> = {
  kind: EVENT,
  className: 'AutoResetEvent',
  what: 'The event',
  late: 'got no signal',
  untouched: 'No signal was taken.',
  blame: () => [],
  // Recorded, so that the ledger entry keeps the signal of a waiter that dies before it learns of the signal.
  behaviour: { recorded: true },
  enterOrEnqueue: ({ context, address, tag }) => {
    const kernel = context.kernel as EventKernel;
    return (mayWait) =>
      mayWait === 0 ? kernel.consumeEvent(address, tag) : kernel.enqueueAtEvent(address, tag, context.agent);
  },
};

let construct: (ref: BlockRef, policy: WaitingPolicy) => AutoResetEvent;

/**
 * An event that wakes one waiter per signal and then resets itself. It tells another agent that there is something to
 * do.
 *
 * A signal releases the longest waiter. Without a waiter the event stays signalled, and the next `wait` returns at
 * once. Signals collapse: the event keeps at most one.
 *
 * - Writes before a `signal` are visible after the `wait` that consumes it or a later signal, also when signals
 *   collapse.
 * - Waiters are served in FIFO order, blocking and async waiters together.
 * - A wait that times out or is aborted consumes no signal. If a waiter dies before it learns of its signal, the signal
 *   is not lost.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { AutoResetEvent } from '@sluice/auto-reset-event';
 *
 * const work = AutoResetEvent.create({ name: 'work' });
 * const inbox = Region.create(4).int32;
 * Atomics.store(inbox, 0, 7);
 * work.signal();
 * work.signal();
 * work.wait();
 * console.log(Atomics.load(inbox, 0), work.tryWait()); // 7 false
 * ```
 */
export class AutoResetEvent extends Waitable {
  /** The handle to post to another thread. Pass it to `AutoResetEvent.from` there. */
  readonly handle: AutoResetEventHandle;
  readonly #waits: PrimitiveLine;
  // Fields of the uncontended paths, each on its own: one lookup fewer per call.
  readonly #lineState: LineState;
  readonly #agent: AgentAddress;
  readonly #signal: EventSteps['signalEvent'];
  readonly #consume: EventSteps['consumeEvent'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const waits = new PrimitiveLine(ref, policy, SHAPE);
    super(waits);
    const kernel = ref.context.kernel as EventKernel;
    this.#waits = waits;
    this.#lineState = waits.lineState;
    this.#agent = ref.context.agent;
    this.#signal = kernel.signalEvent;
    this.#consume = mayBlock() ? kernel.consumeEvent : refuseToBlock;
    this.handle = handleTo('sluice.auto-reset-event', ref, EVENT.kernel.id);
  }

  /**
   * Creates an event that is not signalled.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: AutoResetEventOptions = {}): AutoResetEvent {
    return construct(...createLine(EVENT, options, SHAPE.behaviour, () => undefined));
  }

  /**
   * Opens the event that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live event.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: AutoResetEventHandle, options: Pick<AutoResetEventOptions, 'policy'> = {}): AutoResetEvent {
    return construct(...openWithPolicy(EVENT, handle, options));
  }

  /**
   * Signals the event (also known as "set"): wakes the longest waiter. Without a waiter, the next `wait` returns at
   * once.
   *
   * Any agent may call it at any time. It never blocks.
   */
  signal(): void {
    const { block, tag } = this.#lineState;
    let signalled: ReturnType<EventSteps['signalEvent']>;
    let tries = 0;
    try {
      do signalled = this.#signal(block, tag, this.#agent);
      while (signalled === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (signalled !== IDLE) this.#waits.wake(signalled);
  }

  /**
   * Waits for a signal and consumes it, blocking the calling thread until there is one.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this event, which could not settle while the
   *   agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    const { block, tag } = this.#lineState;
    if (this.#consume(block, tag) !== TAKEN) this.#waits.enter(Infinity);
  }

  /**
   * Waits as `wait` does, for at most `timeoutMs` ms. Returns whether it consumed a signal.
   *
   * With 0, the default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `wait`. Throws `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  tryWait(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#waits.enter(timeoutMs);
  }

  /**
   * Waits as `wait` does, without blocking the thread.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  async waitAsync(options?: WaitOptions): Promise<void> {
    await this.#waits.enterAsync(options);
  }

  /** Resets the event to not signalled; returns whether it was signalled. */
  reset(): boolean {
    return this.#waits.enter(0);
  }

  /** A snapshot of the event: whether it is signalled, its waiters and since when each has waited. */
  inspect(): AutoResetEventReport {
    return reportEvent(this.#waits.ref, this.#waits.report());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { signalled: isSignalled(this.#waits.ref), waiting: this.waiting };
  }
}

/** Opens an event over words that exist already, for models. */
export function autoResetEventAt(ref: BlockRef, policy: WaitingPolicy): AutoResetEvent {
  return construct(ref, policy);
}
