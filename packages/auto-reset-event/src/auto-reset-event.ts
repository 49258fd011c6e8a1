// The auto-reset event: one word as box office, in front of core's fair semaphore as the bouncer.
// After Preshing, "Semaphores are Surprisingly Versatile", section 2 (AutoResetEvent). Ours: waits that can be given up, and
// recovery. The words, states and invariants are in core's kernel/event.ts.

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
  findPrimitive,
  FLAG_EVENT,
  FLAGS,
  freePrimitive,
  FROM_OPTIONS,
  handleTo,
  INSPECT,
  IDLE,
  KIND_EVENT,
  mayBlock,
  mayRetry,
  mergePolicy,
  oneLine,
  PLACED_OPTIONS,
  refusePosting,
  RACED,
  readName,
  refuseToBlock,
  contextOf,
  SHUT,
  TAKEN,
  type Kernel,
  type Place,
  type PrimitiveHandle,
  type AgentContext,
  type LocalState,
} from '@sluice/core/internal';
import { reportEvent, type AutoResetEventReport } from './report.ts';

export type AutoResetEventHandle = PrimitiveHandle<'sluice.auto-reset-event'>;

export interface AutoResetEventOptions {
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const NO_OPTIONS: WaitOptions = {};
let construct: (place: Place, policy: WaitingPolicy) => AutoResetEvent;

/**
 * Tells one other agent that there is something to do. A signal lets one waiter go on, the one that waits longest; if
 * nobody waits it is kept for the next to come. Signals collapse: there is never more than one kept.
 *
 * Promises: what was written before `signal` is seen after the `wait` that ends by it, or by one of a later signal, also
 * when signals collapse; blocking and async waiters are served first come, first served; a wait that is given up takes no
 * signal with it, nor does a waiter that dies before it learns of its signal.
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
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #event: number;
  readonly #localState: LocalState;
  readonly #agent: number;
  readonly #signal: Kernel['signal'];
  readonly #consume: Kernel['consume'];
  readonly #mayBlock = mayBlock();

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    refusePosting(this);
    checkPlace(place, 'AutoResetEvent');
    const { context, address, tag } = place;
    const { kernel, agent } = context;
    this.#place = place;
    this.#context = context;
    this.#event = address;
    this.#agent = agent;
    this.#signal = kernel.signal;
    this.#consume = kernel.consume;
    const visit = (mayWait: number): number => (mayWait === 0 ? kernel.consume(address, tag) : kernel.enqueueAtEvent(address, tag, agent));
    this.#account = new Account({ className: 'AutoResetEvent', late: 'got no signal', untouched: 'No signal was taken.', blame: () => [] }, place);
    // Recorded, so that a signal whose receiver died before it knew has a place to be noted in.
    this.#bouncer = new Bouncer(place, policy, { recorded: true }, visit, this.#account);
    this.#localState = this.#bouncer.localState;
    this.handle = handleTo('sluice.auto-reset-event', place);
  }

  /** A new event, not signalled. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: AutoResetEventOptions = {}): AutoResetEvent {
    checkOptions(options, PLACED_OPTIONS);
    const arena = chosenArena(options.arena);
    const policy = mergePolicy(arena.policy, options.policy);
    const context = contextOf(arena);
    // Before the block: what `fill` needs must not fail or die half-way.
    context.reserveEntry();
    const place = createPrimitive(arena, KIND_EVENT, BLOCK_LINE, options.name, (words, event, tag) => {
      words.put32(event + FLAGS, FLAG_EVENT);
      context.localState(event, tag, true);
    });
    return construct(place, policy);
  }

  /** The event that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: AutoResetEventHandle, options: Pick<AutoResetEventOptions, 'policy'> = {}): AutoResetEvent {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.auto-reset-event', KIND_EVENT);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** As "AutoResetEvent 'work'". */
  toString(): string {
    return this.#account.toString();
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.#checkThere();
    return readName(this.#context.words, this.#event);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** Lets the longest waiter go on; if nobody waits, the next to come. Any agent may, at any time, and never blocks. */
  signal(): void {
    let signalled: number;
    let tries = 0;
    try {
      do signalled = this.#signal(this.#event, this.#localState.tag, this.#agent);
      while (signalled === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (signalled !== IDLE) this.#afterSignal(signalled);
  }

  /**
   * Blocks until there is a signal, and takes it. Throws `MisuseError` (on a browser's main thread), `DeadlockError` (behind
   * an async wait of this same agent, whose continuation cannot run while the agent is blocked), `ArenaFullError`.
   */
  wait(): void {
    if (!this.#mayBlock) refuseToBlock();
    if (this.#consume(this.#event, this.#localState.tag) !== TAKEN) this.#waitWithin(Infinity);
  }

  /** Waits `timeoutMs` ms at the most, with 0 not at all; whether it took a signal. Throws as `wait`. */
  tryWait(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#waitWithin(timeoutMs);
  }

  /**
   * Resolves when it took a signal; the agent goes on meanwhile. Rejects with `TimeoutError`, `signal.reason`,
   * `ArenaFullError`; then none was taken. While it waits it keeps the event loop alive, unless `ref` is false.
   */
  async waitAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if ((await this.#bouncer.enterAsync(checked)) === SHUT) this.#checkThere();
  }

  /** Takes back a signal that nobody has taken; whether there was one. */
  reset(): boolean {
    return this.#waitWithin(0);
  }

  /** Whether it is signalled, who waits and since when: a snapshot. */
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
   * Gives its memory back: another primitive may get it, so no agent may be inside a call on this one. Throws
   * `MisuseError` while agents wait for it and when it was freed before; every later use throws it, too.
   */
  free(): void {
    this.#checkThere();
    // Also one that was given its signal and has not looked yet.
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

  #afterSignal(signalled: number): void {
    if (signalled === SHUT) this.#checkThere();
    this.#bouncer.wake(signalled);
  }

  #checkThere(): void {
    checkNotFreed(this.#place, 'The event');
  }
}

/** An event over words that already lie somewhere: for models. */
export function autoResetEventAt(place: Place, policy: WaitingPolicy): AutoResetEvent {
  return construct(place, policy);
}
