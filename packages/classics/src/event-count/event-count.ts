// The event count, as one agent sees it. The word and the invariants are in kernel/event-count.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import { IDLE, OVERFLOW, RACED, SHUT, TAKEN, type AgentAddress, type LineAddress } from '@sluice/core/format';
import { checkInteger, checkTimeout, checkWait, NO_WAIT_OPTIONS, reserveStack } from '@sluice/core/calls';
import {
  openWithPolicy,
  PrimitiveErrors,
  asCorrupt,
  WaitLine,
  createLine,
  handleTo,
  retryOrThrow,
  Waitable,
  PrimitiveLine,
  type LineShape,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { EVENT_COUNT, type EventCountKernel, type EventCountSteps } from './kinds.ts';
import { reportEventCount, type EventCountReport } from './report.ts';

export type EventCountHandle = PrimitiveHandle<'sluice.event-count'>;
export type EventCountOptions = LockOptions;

const MAX_COUNT = Number.MAX_SAFE_INTEGER;
const MAX_ADVANCE = 2 ** 31 - 1;

const SHAPE: LineShape<EventCountSteps> = {
  kind: EVENT_COUNT,
  className: 'EventCount',
  what: 'The event count',
  late: 'did not advance',
  untouched: 'It was not changed.',
  ordered: false,
  state: (ref) => `count ${countAt(ref)}`,
  blame: () => [],
  // Recorded, so that the recovery of a dead waiter finds an entry. Unordered, because a later wait may be for a smaller
  // value.
  behaviour: { recorded: true, unordered: true, together: true },
  // Each wait has a visit of its own, with its value.
  enterOrEnqueue: () => () => TAKEN,
};

/** The count. TICKET of an event count stays 0. */
function countAt({ context, address }: BlockRef): number {
  return context.kernel.balance(address);
}

/**
 * An event count (Reed and Kanodia): a count of events that only grows, and agents that wait until it reaches a value.
 *
 * - `advance` wakes the agents whose value is due, and no other. The advancing agent compares the values, so an agent
 *   that waits for a later value sleeps on.
 * - Any number of agents may wait for the same value, and a value that has been reached stays reached.
 * - After its wait, an agent sees all writes before the `advance` that reached its value.
 *
 * Together with a `Sequencer`, which numbers the agents, it gives each agent a turn: see `Sequencer`.
 *
 * ```ts run
 * import { EventCount } from '@sluice/classics';
 *
 * const written = EventCount.create({ name: 'blocks written' });
 * const third = written.awaitAsync(3).then(() => console.log('three blocks, read', written.read()));
 * written.advance();
 * written.advance(2);
 * await third; // three blocks, read 3
 * ```
 */
export class EventCount extends Waitable {
  /** The handle to post to another thread. Pass it to `EventCount.from` there. */
  readonly handle: EventCountHandle;
  readonly #waits: PrimitiveLine;
  readonly #event: LineAddress;
  readonly #agent: AgentAddress;
  readonly #policy: WaitingPolicy;

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const waits = new PrimitiveLine(ref, policy, SHAPE);
    super(waits);
    this.#waits = waits;
    this.#event = ref.address;
    this.#agent = ref.context.agent;
    this.#policy = policy;
    this.handle = handleTo('sluice.event-count', ref, EVENT_COUNT.kernel.id);
  }

  /**
   * Creates an event count of 0.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: EventCountOptions = {}): EventCount {
    return new EventCount(...createLine(EVENT_COUNT, options, SHAPE.behaviour, () => undefined));
  }

  /**
   * Opens the event count that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live event count.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: EventCountHandle, options: Pick<EventCountOptions, 'policy'> = {}): EventCount {
    return new EventCount(...openWithPolicy(EVENT_COUNT, handle, options));
  }

  get #kernel(): EventCountKernel {
    return this.#waits.context.kernel as EventCountKernel;
  }

  /** Returns the count, which never decreases. */
  read(): number {
    this.#waits.checkThere();
    return countAt(this.#waits.ref);
  }

  /**
   * Adds `n` to the count, and wakes all agents that wait for a value up to the new count.
   *
   * Any agent may call it at any time. It never blocks.
   *
   * @param n - 1 to 2^31 − 1.
   * @throws {RangeError} If the count would exceed 2^53 − 1. Then it was not changed.
   */
  advance(n = 1): void {
    if (n !== 1) checkInteger('The number to advance by', n, 1, MAX_ADVANCE);
    // A call that overflowed the stack after the step would leave the waiters asleep.
    reserveStack();
    const { advanceEventCount } = this.#kernel;
    const { tag } = this.#waits.lineState;
    let advanced: ReturnType<EventCountSteps['advanceEventCount']>;
    let tries = 0;
    try {
      do advanced = advanceEventCount(this.#event, tag, this.#agent, n);
      while (advanced === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (advanced === OVERFLOW)
      throw new RangeError(
        `${this.toString()} cannot advance by ${n}: its count is ${this.read()}, and the maximum is ${MAX_COUNT}. It was not changed.`,
      );
    if (advanced !== IDLE) this.#waits.wake(advanced);
  }

  /**
   * Waits until the count is `value` or more, blocking the calling thread.
   *
   * @param value - 0 to 2^53 − 1.
   * @throws {RangeError} If `value` is out of range.
   * @throws {MisuseError} On a browser's main thread; use `awaitAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  await(value: number): void {
    this.#waits.checkBlocking();
    this.#enter(value, Infinity);
  }

  /**
   * Waits until the count is `value` or more, for at most `timeoutMs` ms. Returns whether the count has reached it.
   *
   * With 0, the default, the call does not wait.
   *
   * @param value - 0 to 2^53 − 1.
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `await`.
   */
  tryAwait(value: number, timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#enter(value, timeoutMs);
  }

  /**
   * Waits until the count is `value` or more, without blocking the thread.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   *
   * @param value - 0 to 2^53 − 1.
   */
  async awaitAsync(value: number, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    checkValue(value);
    const checked = checkWait(options);
    if ((await this.#lineTo(value).enterAsync(checked)) === SHUT) this.#waits.checkThere();
  }

  /** Returns a snapshot: the count, the waiters, and since when each has waited. */
  inspect(): EventCountReport {
    const line = this.#waits.report();
    return reportEventCount(this.#waits.ref, countAt(this.#waits.ref), line);
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { count: this.read(), waiting: this.waiting };
  }

  #enter(value: number, timeoutMs: number): boolean {
    checkValue(value);
    if (this.#visit(value, 0) === TAKEN) return true;
    const entered = this.#lineTo(value).enter(timeoutMs);
    if (entered === SHUT) this.#waits.checkThere();
    return entered === TAKEN;
  }

  #visit(value: number, mayWait: number): ReturnType<EventCountSteps['enqueueAtEventCount']> {
    try {
      return this.#kernel.enqueueAtEventCount(this.#event, this.#waits.lineState.tag, this.#agent, mayWait, value);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  /** Returns the line of the waits for that value. Throws `MisuseError` if the event count was freed. */
  #lineTo(value: number): WaitLine {
    // Check first: a line state at a freed address would replace that of another primitive.
    this.#waits.checkThere();
    return new WaitLine(
      this.#waits.ref,
      this.#policy,
      { ...SHAPE.behaviour, line: this.#waits.lineState.line },
      (mayWait) => this.#visit(value, mayWait),
      new PrimitiveErrors({ ...SHAPE, late: `did not reach ${value}` }, this.#waits.ref),
    );
  }
}

function checkValue(value: number): void {
  checkInteger('The value', value, 0, MAX_COUNT, ['awaitAsync(1, OPTIONS)', 'tryAwait(1, timeoutMs)']);
}
