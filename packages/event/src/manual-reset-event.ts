// The manual-reset event, as one agent sees it. The word, its states and the invariants are in kernel/manual-event.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { GRANT, IDLE, RACED, TAKEN, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { checkFlag, checkOptions, checkTimeout, PLACED_OPTIONS } from '@sluice/core/calls';
import {
  asCorrupt,
  createLine,
  handleTo,
  retryOrThrow,
  openWithPolicy,
  retryWhileRaced,
  Waitable,
  PrimitiveLine,
  type LineShape,
  type LineState,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { MANUAL_EVENT, type ManualEventKernel, type ManualEventSteps } from './kinds.ts';
import { isSetAt, reportManualEvent, type ManualResetEventReport } from './report.ts';

export type ManualResetEventHandle = PrimitiveHandle<'sluice.manual-reset-event'>;

export interface ManualResetEventOptions extends LockOptions {
  /** Whether the event is set at its creation. Default: `false`. */
  readonly isSet?: boolean | undefined;
}

const SHAPE: LineShape<ManualEventSteps> = {
  kind: MANUAL_EVENT,
  className: 'ManualResetEvent',
  what: 'The event',
  late: 'was not set',
  untouched: 'It was not changed.',
  ordered: false,
  blame: () => [],
  // Recorded, so that the recovery of a dead waiter finds an entry.
  behaviour: { recorded: true, together: true },
  enterOrEnqueue: ({ context, address, tag }) => {
    const kernel = context.kernel as ManualEventKernel;
    return (mayWait) => kernel.enqueueAtManualEvent(address, tag, context.agent, mayWait);
  },
};

let construct: (ref: BlockRef, policy: WaitingPolicy) => ManualResetEvent;

/**
 * An event that admits all waiters when it is set, and every later wait until it is reset. Use it to tell other agents
 * that something has happened, or to hold them back until they may proceed.
 *
 * - `set` admits all agents that wait at that moment, even if `reset` follows at once.
 * - While the event is set, a wait returns at once.
 * - Writes before a `set` are visible after every wait that this `set` or a later one admits.
 *
 * Like .NET's `ManualResetEventSlim`.
 *
 * ```ts run
 * import { Region } from '@sluice/core';
 * import { ManualResetEvent } from '@sluice/event';
 *
 * const ready = ManualResetEvent.create({ name: 'ready' });
 * const config = Region.create(4).int32;
 * const waits = [ready.waitAsync(), ready.waitAsync()];
 * config[0] = 7;
 * ready.set();
 * await Promise.all(waits);
 * console.log(config[0], ready.tryWait(), ready.reset(), ready.tryWait()); // 7 true true false
 * ```
 */
export class ManualResetEvent extends Waitable {
  /** The handle to post to another thread. Pass it to `ManualResetEvent.from` there. */
  readonly handle: ManualResetEventHandle;
  readonly #waits: PrimitiveLine;
  // Fields of the uncontended paths, each on its own: one lookup fewer per call.
  readonly #event: LineAddress;
  readonly #agent: AgentAddress;
  readonly #lineState: LineState;
  readonly #set: ManualEventSteps['setManualEvent'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const waits = new PrimitiveLine(ref, policy, SHAPE);
    super(waits);
    this.#waits = waits;
    this.#event = ref.address;
    this.#agent = ref.context.agent;
    this.#lineState = waits.lineState;
    this.#set = this.#kernel.setManualEvent;
    this.handle = handleTo('sluice.manual-reset-event', ref, MANUAL_EVENT.kernel.id);
  }

  /**
   * Creates an event, not set unless `isSet` is true.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: ManualResetEventOptions = {}): ManualResetEvent {
    checkOptions(options, [...PLACED_OPTIONS, 'isSet']);
    const { isSet = false, ...more } = options;
    checkFlag('isSet', isSet);
    return construct(
      ...createLine(MANUAL_EVENT, more, SHAPE.behaviour, (words, event) => words.put32(event + GRANT, isSet ? 1 : 0)),
    );
  }

  /**
   * Opens the event that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live event.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: ManualResetEventHandle, options: Pick<ManualResetEventOptions, 'policy'> = {}): ManualResetEvent {
    return construct(...openWithPolicy(MANUAL_EVENT, handle, options));
  }

  get #kernel(): ManualEventKernel {
    return this.#waits.context.kernel as ManualEventKernel;
  }

  /** Whether a wait would return at once. Another agent may change it at any moment. */
  get isSet(): boolean {
    this.#waits.checkThere();
    return isSetAt(this.#waits.ref);
  }

  /**
   * Sets the event (also known as "signal"): admits all waiters, and later waits until `reset`.
   *
   * Any agent may call it at any time. It never blocks.
   */
  set(): void {
    const { tag } = this.#lineState;
    let set: ReturnType<ManualEventSteps['setManualEvent']>;
    let tries = 0;
    try {
      do set = this.#set(this.#event, tag, this.#agent);
      while (set === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (set !== IDLE) this.#waits.wake(set);
  }

  /** Resets the event, so that later waits wait for the next `set`. Returns whether it was set. */
  reset(): boolean {
    const { tag } = this.#lineState;
    const reset = retryWhileRaced(() => this.#kernel.resetManualEvent(this.#event, tag), this);
    if (reset !== TAKEN) this.#waits.checkThere();
    return reset === TAKEN;
  }

  /**
   * Waits until the event is set, blocking the calling thread.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    this.#waits.checkBlocking();
    if (!this.#waits.enter(0)) this.#waits.enter(Infinity);
  }

  /**
   * Waits as `wait` does, for at most `timeoutMs` ms. Returns whether the wait was admitted.
   *
   * With 0, the default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `wait`.
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

  /** A snapshot of the event: whether it is set, its waiters and since when each has waited. */
  inspect(): ManualResetEventReport {
    return reportManualEvent(this.#waits.ref, this.#waits.report());
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { isSet: this.isSet, waiting: this.waiting };
  }
}

/** Opens an event over words that exist already, for models. */
export function manualResetEventAt(ref: BlockRef, policy: WaitingPolicy): ManualResetEvent {
  return construct(ref, policy);
}
