// The priority semaphore: a box office in front of eight lines, one for each priority. Which line gets a permit:
// kernel/levels.ts.

import type { Guard, SemaphoreReport, WaitOptions } from '@sluice/core';
import {
  AGENT_DUTY_KIND,
  allWaiting,
  asCorrupt,
  asLine,
  BLOCK_LINE,
  blockInLine,
  checkInteger,
  checkObject,
  checkOptions,
  checkWait,
  isElement,
  mayRetry,
  MODE_ASYNC,
  MODE_BLOCKING,
  PermitsWanted,
  RACED,
  rejected,
  reportLine,
  SHUT,
  TAKEN,
  takeInLine,
  WAIT_OPTIONS,
  type AgentContext,
  type Asked,
  type Draw,
  type LineAddress,
  type LineReport,
  type Poll,
} from '@sluice/core/internal';
import { CompositeSemaphore, writeLine } from './behind.ts';
import { AGEING, DEALT_BITS, FLAG_INNER, FLAG_LEVEL, FLAG_LEVELS, LEVEL_BITS, LEVELS } from './kernel/layout.ts';
import type { ReleaseOrTell } from './kernel/release.ts';
import { createMember, findMember, type FamilyHandle, type Membership } from './member.ts';
import type { Capabilities, FamilyOptions } from './options.ts';

export interface PriorityOptions extends FamilyOptions {
  /** The priority of this instance's calls that name none. Default: 0, the lowest. */
  readonly priority?: number | undefined;
  /**
   * After this many permits for other priorities, the first waiter of a priority counts as one of the next higher
   * priority. From 1 to 1,000,000. Default: 16.
   */
  readonly ageing?: number | undefined;
}

export interface PriorityWaitOptions extends WaitOptions {
  /** Default: that of the instance. */
  readonly priority?: number | undefined;
}

export interface PriorityReport extends SemaphoreReport {
  /** The waiters of each priority, 0 first, each in the order in which they will be served. */
  readonly levels: readonly LineReport[];
}

const OWN_OPTIONS = ['priority', 'ageing'];
const PRIORITY_WAIT_OPTIONS = [...WAIT_OPTIONS, 'priority'];
const DEFAULT_AGEING = 16;
const MOST_AGEING = 1_000_000;

const NO_OPTIONS: PriorityWaitOptions = {};
const CAPABILITIES: Capabilities = { fifo: false, weighted: false, givesUp: true, bounded: true, wakesOne: true };

/**
 * A semaphore whose waiters have priorities, from 0, the lowest, to 7. A released permit goes to the waiter of the
 * highest priority. Waiters of one priority are served in FIFO order. A call that finds a free permit takes it,
 * whatever its priority, and permits are free only while no agent waits.
 *
 * No waiter starves. While permits go to other priorities, a priority with waiters ages, and after `ageing` permits its
 * first waiter counts as one of the next higher priority. So the first waiter of priority p is passed over at most
 * `ageing * (7 - p) + 7` times: 119 times at the lowest priority by default. A waiter with k waiters of its own
 * priority before it is passed over at most k + 1 times as often.
 *
 * The ageing is that of the schedulers of time-sharing systems, which raise the priority of a process that waits.
 *
 * ```ts run
 * import { PrioritySemaphore } from '@sluice/semaphores';
 *
 * const sem = PrioritySemaphore.create(1);
 * sem.acquire();
 * const order: string[] = [];
 * const low = sem.acquireAsync(1, { priority: 1 }).then(() => { order.push('low'); sem.release(); });
 * const high = sem.at(7).runAsync(() => void order.push('high'));
 * sem.release();
 * await Promise.all([low, high]);
 * console.log(order.join()); // high,low
 * ```
 */
export class PrioritySemaphore extends CompositeSemaphore {
  /** What it can do. Several permits at once only without waiting: see `tryAcquire`. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  readonly #membership: Membership;
  readonly #priority: number;
  readonly #levels: readonly LineAddress[];
  /** What all async waits of this instance are for. */
  #asked: Asked | undefined;

  private constructor(membership: Membership, priority = 0) {
    super(membership, 'PrioritySemaphore', false, true);
    const { place } = this;
    this.#membership = membership;
    this.#priority = priority;
    this.#levels = Array.from({ length: LEVELS }, (_, level) => asLine(place.address + (1 + level) * BLOCK_LINE));
  }

  /** A new semaphore with `permits` free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(permits: number, options: PriorityOptions = {}): PrioritySemaphore {
    checkObject(options);
    const { ageing = DEFAULT_AGEING, priority = 0 } = options;
    checkInteger('ageing', ageing, 1, MOST_AGEING);
    checkInteger('priority', priority, 0, LEVELS - 1);
    const fill = (home: number, context: AgentContext, tag: number): void => {
      context.words.put32(home + DEALT_BITS, LEVEL_BITS);
      for (let level = 0; level < LEVELS; level++) writeLine(context, home, tag, level, FLAG_INNER | FLAG_LEVEL);
      context.words.put32(home + BLOCK_LINE + AGEING, ageing);
    };
    const membership = createMember(FLAG_LEVELS, permits, options, {
      lines: 1 + LEVELS,
      fill,
      own: OWN_OPTIONS,
      ordered: false,
      orderedLines: true,
    });
    return new PrioritySemaphore(membership, priority);
  }

  /**
   * The semaphore that a handle refers to. `priority`: as for `create`. Throws `HandleError`; `ArenaFullError` if no
   * record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<PriorityOptions, 'policy' | 'priority'> = {}): PrioritySemaphore {
    checkOptions(options, ['policy', 'priority']);
    const { policy, priority = 0 } = options;
    checkInteger('priority', priority, 0, LEVELS - 1);
    return new PrioritySemaphore(findMember(FLAG_LEVELS, handle, { policy }, 'PrioritySemaphore'), priority);
  }

  override get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /** The priority of the calls of this instance that name none. */
  get priority(): number {
    return this.#priority;
  }

  /**
   * After this many permits for other priorities, the first waiter of a priority counts as one of the next higher
   * priority.
   */
  get ageing(): number {
    this.checkThere();
    return this.context.words.get32(this.place.address + BLOCK_LINE + AGEING);
  }

  /**
   * Another instance of this semaphore whose calls have that priority: for `hold`, `run`, `runAsync` and `asLock`.
   * Throws `RangeError`, `TypeError`.
   */
  at(priority: number): PrioritySemaphore {
    this.checkThere();
    this.#check(priority);
    return new PrioritySemaphore(this.#membership, priority);
  }

  /**
   * Acquires one permit, blocking until it is this waiter's turn. Throws as `Semaphore.acquire`; `UnsupportedError` for
   * several permits.
   */
  override acquire(permits = 1, priority = this.#priority): void {
    if (priority !== this.#priority) this.#check(priority);
    if (permits !== 1) this.refuseSeveral(permits);
    if (this.take(1) === 1) return;
    this.enter(Infinity, priority);
  }

  /**
   * As `acquire`, for at most `timeoutMs` ms. Returns whether it acquired the permit. Overtakes no waiter of any
   * priority. Several permits only without a timeout: all of them or none. Throws as `acquire`; `DeadlockError` only
   * with `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0, priority = this.#priority): boolean {
    if (priority !== this.#priority) this.#check(priority);
    if (permits !== 1 && timeoutMs === 0) return this.#trySeveral(permits);
    return this.tryEnter(permits, timeoutMs, priority);
  }

  /**
   * As `acquire`, without blocking. Rejects with what `acquire` throws, `TimeoutError` and `signal.reason`; then no
   * permit was taken. While it waits it keeps the event loop alive, unless `ref` is false.
   */
  override acquireAsync(permits = 1, options: PriorityWaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.refuseSeveral(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options, PRIORITY_WAIT_OPTIONS);
      const { priority = this.#priority } = options;
      if (priority !== this.#priority) this.#check(priority);
      if (this.take(1) === 1) return this.context.budget.done();
      return this.enterAsync(checked, priority);
    } catch (failure) {
      return rejected(failure);
    }
  }

  override release(permits = 1): void {
    super.release(permits);
    this.localState.asyncWaits.settleOwn(permits);
  }

  /** The number of blocked agents and async waits that have no permit yet. */
  override get waiting(): number {
    this.checkThere();
    const { context, place } = this;
    if (this.isOpen) return Math.max(0, -context.kernel.balance(place.address));
    return [...allWaiting(context.words)].filter(
      ({ address, tag }) => this.#levels.includes(address as LineAddress) && tag === place.tag,
    ).length;
  }

  /** Acquires a permit as `acquireAsync` does; resolves with a guard that releases it. */
  override holdAsync(permits = 1, options?: PriorityWaitOptions): Promise<Guard> {
    return super.holdAsync(permits, options);
  }

  /** Runs `body` with a permit held until the promise that `body` returns settles; releases it even if it rejects. */
  override runAsync<T>(body: () => T | PromiseLike<T>, permits = 1, options?: PriorityWaitOptions): Promise<T> {
    return super.runAsync(body, permits, options);
  }

  /** A snapshot: the agents that hold permits, and the waiters, those of the highest priority first. */
  override inspect(): PriorityReport {
    const report = super.inspect();
    const levels = this.#levels.map((level) => reportLine(this.context, level, this.place.tag));
    return { ...report, waiters: [...levels].reverse().flatMap(({ waiters }) => waiters), levels };
  }

  protected override get lines(): readonly LineAddress[] {
    return this.#levels;
  }

  protected override takeOnce(most: number): number {
    const { address, tag } = this.place;
    return this.kernel.boxTake(address, tag, this.localState.entry, most);
  }

  protected override releaseOnce(permits: number): ReleaseOrTell {
    const { address, tag } = this.place;
    try {
      return this.kernel.levelsRelease(address, tag, this.context.agent, this.localState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  protected override block(timeoutMs: number, priority: number): Poll {
    return blockInLine<typeof TAKEN | typeof SHUT>(
      this.context,
      this.localState,
      this.#enqueue(MODE_BLOCKING, priority),
      this.policy,
      timeoutMs,
      this.account,
    );
  }

  protected override await(options: WaitOptions, priority: number): Promise<void> {
    this.#asked ??= { what: new PermitsWanted(this.account, 1), linksLate: true, shut: () => this.shutInLine() };
    return takeInLine(this.context, this.localState, () => this.#enqueue(MODE_ASYNC, priority), options, this.#asked);
  }

  protected override instead(permits: number): string {
    return `tryAcquire(${permits}) takes them without waiting, all or none, and a Semaphore has no priorities and takes ${permits} at once`;
  }

  #enqueue(mode: number, priority: number): Draw {
    const { context } = this;
    const { address, tag } = this.place;
    const { entry } = this.localState;
    // Before it is counted: from then on the wait must have all that it needs.
    context.refill(mode);
    const drawn = this.kernel.enqueueAtLevel(address, tag, entry, context.agent, priority);
    const begun = isElement(drawn) ? context.begin(drawn, entry, mode) : drawn;
    // A permit was undealt when this waiter came.
    if (context.words.get32(context.agent + AGENT_DUTY_KIND) !== 0) context.finishWalk();
    return begun;
  }

  #trySeveral(permits: number): boolean {
    this.checkPermits(permits);
    const { address, tag } = this.place;
    let taken: number;
    let tries = 0;
    do taken = this.kernel.takeTokens(address, tag, this.localState.entry, permits);
    while (taken === RACED && mayRetry(++tries, this));
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #check(priority: number): void {
    // The name is for the message alone: to read it takes longer than the call.
    if (!Number.isInteger(priority) || priority < 0 || priority >= LEVELS)
      checkInteger(`${this.toString()}: priority`, priority, 0, LEVELS - 1);
  }
}
