// The auto-reset event: one word as box office, in front of core's fair semaphore as the bouncer.
// After Preshing, "Semaphores are Surprisingly Versatile", section 2 (AutoResetEvent). Our additions: cancellation and recovery.
// The words, states and invariants are in kernel/event.ts.

import type { Arena, WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  Account,
  allHoldings,
  BLOCK_LINE,
  Bouncer,
  checkNotFreed,
  checkOptions,
  checkPlace,
  checkTimeout,
  checkWait,
  chosenArena,
  createPrimitive,
  freePrimitive,
  FROM_OPTIONS,
  handleTo,
  INSPECT,
  IDLE,
  mayBlock,
  mayRetry,
  mergePolicy,
  oneLine,
  openPrimitive,
  PLACED_OPTIONS,
  refusePosting,
  RACED,
  readName,
  refuseToBlock,
  contextOf,
  SHUT,
  TAKEN,
  type Place,
  type PrimitiveHandle,
  type AgentContext,
  type LocalState,
  type AgentAddress,
  type LineAddress,
} from '@sluice/core/internal';
import { EVENT, type EventSteps } from './kind.ts';
import { reportEvent, type AutoResetEventReport } from './report.ts';

export type AutoResetEventHandle = PrimitiveHandle<'sluice.auto-reset-event'>;

export interface AutoResetEventOptions {
  /** The arena that contains it. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits for it. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const NO_OPTIONS: WaitOptions = {};
let construct: (place: Place, policy: WaitingPolicy) => AutoResetEvent;

/**
 * An event that wakes one waiter per signal and then resets itself. It tells another agent that there is something to do.
 *
 * A signal releases the longest waiter. Without a waiter the event stays signalled, and the next `wait` returns at once. Signals
 * collapse: the event keeps at most one.
 *
 * - Writes before a `signal` are visible after the `wait` that consumes it or a later signal, also when signals collapse.
 * - Waiters are served in FIFO order, blocking and async waiters together.
 * - A wait that times out or is aborted consumes no signal. If a waiter dies before it learns of its signal, the signal is not lost.
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
export class AutoResetEvent {
  /** Post this to another thread and give it to `AutoResetEvent.from` there. */
  readonly handle: AutoResetEventHandle;
  readonly #place: Place;
  readonly #context: AgentContext;
  readonly #bouncer: Bouncer;
  readonly #account: Account;
  // What the uncontended paths need. Numbers come from the local state where it has them: the engine knows its fields to be integers.
  readonly #event: LineAddress;
  readonly #localState: LocalState;
  readonly #agent: AgentAddress;
  readonly #signal: EventSteps['signal'];
  readonly #consume: EventSteps['consume'];
  readonly #mayBlock = mayBlock();

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    refusePosting(this);
    checkPlace(place, 'AutoResetEvent');
    const { context, address, tag } = place;
    const { agent } = context;
    const { kernel, steps } = context.load(EVENT);
    this.#place = place;
    this.#context = context;
    this.#event = address;
    this.#agent = agent;
    this.#signal = kernel.signal;
    this.#consume = kernel.consume;
    const visit = (mayWait: number) => (mayWait === 0 ? kernel.consume(address, tag) : kernel.enqueueAtEvent(address, tag, agent));
    this.#account = new Account({ className: 'AutoResetEvent', late: 'got no signal', untouched: 'No signal was taken.', blame: () => [] }, place);
    // Recorded: the ledger entry keeps the signal of a waiter that dies before it learns of it.
    this.#bouncer = new Bouncer(place, policy, { recorded: true, line: steps }, visit, this.#account);
    this.#localState = this.#bouncer.localState;
    this.handle = handleTo('sluice.auto-reset-event', place, EVENT.kernel.id);
  }

  /**
   * Creates an event that is not signalled.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: AutoResetEventOptions = {}): AutoResetEvent {
    checkOptions(options, PLACED_OPTIONS);
    const arena = chosenArena(options.arena);
    const policy = mergePolicy(arena.policy, options.policy);
    const context = contextOf(arena);
    // Before the event exists: an agent may lack the kind's kernel.
    const { steps } = context.load(EVENT);
    // Reserve before the block is allocated: filling the block must not fail or stop half-way.
    context.reserveEntry();
    const place = createPrimitive(arena, EVENT.code, BLOCK_LINE, options.name, (_words, event, tag) => {
      context.localState(event, tag, { recorded: true, line: steps });
    });
    return construct(place, policy);
  }

  /**
   * Opens the event that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live event.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: AutoResetEventHandle, options: Pick<AutoResetEventOptions, 'policy'> = {}): AutoResetEvent {
    checkOptions(options, FROM_OPTIONS);
    const place = openPrimitive(handle, EVENT);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** The title that messages use, such as "AutoResetEvent 'work'". */
  toString(): string {
    return this.#account.toString();
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.#checkThere();
    return readName(this.#context.words, this.#event);
  }

  /** The arena that contains the event. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /**
   * Signals the event (also known as "set"): wakes the longest waiter. Without a waiter, the next `wait` returns at once.
   *
   * Any agent may call it at any time. It never blocks.
   */
  signal(): void {
    const { block, tag } = this.#localState;
    let signalled: ReturnType<EventSteps['signal']>;
    let tries = 0;
    try {
      do signalled = this.#signal(block, tag, this.#agent);
      while (signalled === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (signalled !== IDLE) this.#afterSignal(signalled);
  }

  /**
   * Waits for a signal and consumes it, blocking the calling thread until there is one.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this event, which could not settle while the agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    if (!this.#mayBlock) refuseToBlock();
    const { block, tag } = this.#localState;
    if (this.#consume(block, tag) !== TAKEN) this.#waitWithin(Infinity);
  }

  /**
   * Consumes a signal if there is one within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait. Throws as `wait` does; `DeadlockError` only if `timeoutMs` is `Infinity`.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  tryWait(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#waitWithin(timeoutMs);
  }

  /**
   * Waits for a signal without blocking the thread; the promise resolves when the wait has consumed one.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`; then no signal was consumed.
   */
  async waitAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if ((await this.#bouncer.enterAsync(checked)) === SHUT) this.#checkThere();
  }

  /** Resets the event to not signalled; returns whether it was signalled. */
  reset(): boolean {
    return this.#waitWithin(0);
  }

  /** A snapshot of the event: whether it is signalled, its waiters and since when each has waited. */
  inspect(): AutoResetEventReport {
    this.#checkThere();
    return reportEvent(this.#place, this.#bouncer.inspect());
  }

  [INSPECT](): string {
    return oneLine('AutoResetEvent', () => {
      const { name, signalled, waiters } = this.inspect();
      return { name, signalled, waiting: waiters.length };
    });
  }

  /**
   * Frees the event's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the event. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait for the event, or it was already freed.
   */
  free(): void {
    this.#checkThere();
    // Also a waiter that was given its signal and has not read its verdict yet.
    const { waiters } = this.inspect();
    const given = [...allHoldings(this.#context.words)].some(({ address, tag }) => address === this.#event && tag === this.#localState.tag);
    if (waiters.length > 0 || given) throw this.#account.inUse();
    freePrimitive(this.#place, 'The event');
  }

  #waitWithin(timeoutMs: number): boolean {
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.#checkThere();
    return outcome === TAKEN;
  }

  #afterSignal(signalled: ReturnType<EventSteps['signal']>): void {
    if (signalled === SHUT) this.#checkThere();
    this.#bouncer.wake(signalled);
  }

  #checkThere(): void {
    checkNotFreed(this.#place, 'The event');
  }
}

/** An event over words that exist already: for models. */
export function autoResetEventAt(place: Place, policy: WaitingPolicy): AutoResetEvent {
  return construct(place, policy);
}
