// The priority semaphore: a box office in front of eight lines, one for each priority. kernel/levels.ts decides which
// line gets a permit.

import type { Guard, PrimitiveHandle, SemaphoreOptions, SemaphoreReport, WaitOptions } from '@sluice/core';
import {
  AGENT_DUTY_KIND,
  asLine,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_TAG,
  MODE_ASYNC,
  MODE_BLOCKING,
  RACED,
  SHUT,
  TAKEN,
  type Draw,
  type LineAddress,
  type Poll,
} from '@sluice/core/format';
import {
  checkInteger,
  checkObject,
  checkOptions,
  checkWait,
  mergePolicy,
  NO_WAIT_OPTIONS,
  rejected,
  WAIT_OPTIONS,
} from '@sluice/core/calls';
import {
  asCorrupt,
  blockInLine,
  createPermits,
  isElement,
  retryOrThrow,
  openPrimitive,
  PermitErrors,
  takeInLine,
  type NewBlock,
  type Asked,
} from '@sluice/core/internal';
import { allWaiting, reportLine, type LineReport } from '@sluice/core/report';
import { CompositeSemaphore } from './composite-semaphore.ts';
import { AGEING, FRONT, LEVELS } from './kernel/layout.ts';
import type { ReleaseOrTell } from './kernel/release.ts';
import { PRIORITY } from './kinds.ts';
import type { Capabilities } from './capabilities.ts';
import { kernelOf, type OwnKernel } from './own-kernel.ts';
import type { Membership } from './semaphore-base.ts';

export type PriorityHandle = PrimitiveHandle<'sluice.priority-semaphore'>;

export interface PriorityOptions extends SemaphoreOptions {
  /** The priority of this instance's calls that give none. Default: 0, the lowest. */
  readonly priority?: number | undefined;
  /**
   * After this many permits for other priorities, the first waiter of a priority counts as one of the next higher
   * priority. From 1 to 1,000,000. Default: 16.
   */
  readonly ageing?: number | undefined;
}

export interface PriorityWaitOptions extends WaitOptions {
  /** The priority of the call. Default: that of the instance. */
  readonly priority?: number | undefined;
}

export interface PriorityReport extends SemaphoreReport {
  /** The waiters of each priority, 0 first, each in the order in which they will be served. */
  readonly levels: readonly LineReport[];
}

const OWN_OPTIONS = ['priority', 'ageing'];
const PRIORITY_WAIT_OPTIONS = [...WAIT_OPTIONS, 'priority'];
const DEFAULT_AGEING = 16;
const MAX_AGEING = 1_000_000;

const BEHAVIOUR = { ordered: false, orderedLines: true, kind: PRIORITY };
const CAPABILITIES: Capabilities = { fifo: false, weighted: false, givesUp: true, bounded: true, wakesOne: true };

function levelsOf(home: LineAddress): LineAddress[] {
  return Array.from({ length: LEVELS }, (_, level) => asLine(home + (1 + level) * BLOCK_LINE));
}

/**
 * A semaphore whose waiters have priorities, from 0, the lowest, to 7. A released permit goes to the waiter of the
 * highest priority. Waiters of one priority are served in FIFO order. A call that finds a free permit takes it,
 * whatever its priority, and permits are free only while no agent waits.
 *
 * No waiter starves. While permits go to other priorities, a priority with waiters ages, and after `ageing` permits its
 * first waiter counts as one of the next higher priority. So the first waiter of priority p is passed over at most
 * `ageing * (7 - p) + 7` times. By default that is 119 times at the lowest priority. A waiter with k waiters of its own
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
export class PrioritySemaphore extends CompositeSemaphore<'sluice.priority-semaphore'> {
  /** The capabilities. Several permits at once are possible only without waiting: see `tryAcquire`. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  readonly #membership: Membership;
  readonly #priority: number;
  readonly #levels: readonly LineAddress[];
  /** Shared by all async waits of this instance. */
  #asked: Asked | undefined;

  private constructor(membership: Membership, priority = 0) {
    super(membership, { className: 'PrioritySemaphore', ...BEHAVIOUR });
    const { ref } = this;
    this.#membership = membership;
    this.#priority = priority;
    this.#levels = levelsOf(ref.address);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: PriorityOptions = {}): PrioritySemaphore {
    checkObject(options);
    const { ageing = DEFAULT_AGEING, priority = 0 } = options;
    checkInteger('ageing', ageing, 1, MAX_AGEING);
    checkInteger('priority', priority, 0, LEVELS - 1);
    const fill = ({ words, address: home, tag }: NewBlock): void => {
      for (const level of levelsOf(home)) {
        words.put32(level + BLOCK_TAG, tag);
        words.put32(level + BLOCK_KIND, PRIORITY.code);
        words.put32(level + FRONT, home);
      }
      words.put32(home + BLOCK_LINE + AGEING, ageing);
    };
    const [ref, policy] = createPermits(permits, options, {
      lines: 1 + LEVELS,
      fill,
      own: OWN_OPTIONS,
      ...BEHAVIOUR,
    });
    return new PrioritySemaphore({ ref, policy }, priority);
  }

  /**
   * Opens the semaphore that a handle refers to. `priority` is as in `create`.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: PriorityHandle, options: Pick<PriorityOptions, 'policy' | 'priority'> = {}): PrioritySemaphore {
    checkOptions(options, ['policy', 'priority']);
    const { policy, priority = 0 } = options;
    checkInteger('priority', priority, 0, LEVELS - 1);
    const ref = openPrimitive(handle, PRIORITY);
    return new PrioritySemaphore({ ref, policy: mergePolicy(ref.arena.policy, policy) }, priority);
  }

  override get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /** The priority of this instance's calls that give none. */
  get priority(): number {
    return this.#priority;
  }

  /**
   * After this many permits for other priorities, the first waiter of a priority counts as one of the next higher
   * priority.
   */
  get ageing(): number {
    this.checkThere();
    return this.context.words.get32(this.ref.address + BLOCK_LINE + AGEING);
  }

  /**
   * Returns another instance of this semaphore whose calls have that priority, for `hold`, `run`, `runAsync` and
   * `asLock`.
   *
   * @throws {RangeError} If an argument is out of range.
   * @throws {TypeError} If an argument has the wrong type.
   */
  at(priority: number): PrioritySemaphore {
    this.checkThere();
    this.#check(priority);
    return new PrioritySemaphore(this.#membership, priority);
  }

  /**
   * Acquires one permit, blocking until it is this waiter's turn.
   *
   * @throws {UnsupportedError} For several permits.
   * @throws The other errors of `Semaphore.acquire`.
   */
  override acquire(permits = 1, priority = this.#priority): void {
    if (priority !== this.#priority) this.#check(priority);
    if (permits !== 1) this.refuseSeveral(permits);
    if (this.take(1) === 1) return;
    this.enter(Infinity, priority);
  }

  /**
   * Acquires permits if they become available within `timeoutMs` ms. Returns whether it acquired them. Never overtakes
   * a waiter of any priority. Several permits are possible only without a timeout: it acquires all of them or none.
   *
   * @throws The errors of `acquire`; `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0, priority = this.#priority): boolean {
    if (priority !== this.#priority) this.#check(priority);
    if (permits !== 1 && timeoutMs === 0) return this.#trySeveral(permits);
    return this.tryEnter(permits, timeoutMs, priority);
  }

  /**
   * Acquires a permit as `acquire` does, without blocking. Rejects with the errors of `acquire`, with `TimeoutError`
   * and with `signal.reason`. Then no permit was taken. A pending wait keeps the event loop alive, unless `ref` is
   * false.
   */
  override acquireAsync(permits = 1, options: PriorityWaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.refuseSeveral(permits);
      const checked = checkWait(options, PRIORITY_WAIT_OPTIONS);
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
    this.lineState.asyncWaits.settleOwn(permits);
  }

  /** The number of blocked agents and async waits that have no permit yet. */
  override get waiting(): number {
    this.checkThere();
    const { context, ref } = this;
    if (this.isOpen) return Math.max(0, -context.kernel.balance(ref.address));
    return [...allWaiting(context)].filter(
      ({ address, tag }) => this.#levels.includes(address as LineAddress) && tag === ref.tag,
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

  /** Returns a snapshot: the agents that hold permits, and the waiters, highest priority first. */
  override inspect(): PriorityReport {
    const report = super.inspect();
    const levels = this.#levels.map((level) => reportLine(this.context, level, this.ref.tag));
    return { ...report, waiters: [...levels].reverse().flatMap(({ waiters }) => waiters), levels };
  }

  protected override get lines(): readonly LineAddress[] {
    return this.#levels;
  }

  private get kernel(): OwnKernel {
    return kernelOf(this.context);
  }

  protected override closeFront(): boolean {
    return this.kernel.closeLevels(this.context.agent, this.ref.address, this.ref.tag) === TAKEN;
  }

  protected override takeOnce(most: number): number {
    const { address, tag } = this.ref;
    return this.kernel.boxTake(address, tag, this.lineState.entry, most);
  }

  protected override releaseOnce(permits: number): ReleaseOrTell {
    const { address, tag } = this.ref;
    try {
      return this.kernel.levelsRelease(address, tag, this.context.agent, this.lineState.entry, permits);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
  }

  protected override block(timeoutMs: number, priority: number): Poll {
    return blockInLine<typeof TAKEN | typeof SHUT>(
      this.context,
      this.lineState,
      this.#enqueue(MODE_BLOCKING, priority),
      this.policy,
      timeoutMs,
      this.errors,
    );
  }

  protected override await(options: WaitOptions, priority: number): Promise<void> {
    this.#asked ??= { errors: new PermitErrors(this.errors, 1), linksLate: true, shut: () => this.shutInLine() };
    return takeInLine(this.context, this.lineState, () => this.#enqueue(MODE_ASYNC, priority), options, this.#asked);
  }

  protected override instead(permits: number): string {
    return `tryAcquire(${permits}) takes them without waiting, all or none, and a Semaphore has no priorities and takes ${permits} at once`;
  }

  #enqueue(mode: number, priority: number): Draw {
    const { context } = this;
    const { address, tag } = this.ref;
    const { entry } = this.lineState;
    // Before the waiter is counted: from then on the wait must have everything that it needs.
    context.refill(mode);
    const drawn = this.kernel.enqueueAtLevel(address, tag, entry, context.agent, priority);
    const begun = isElement(drawn) ? context.begin(drawn, entry, mode) : drawn;
    // A permit was undealt when this waiter arrived.
    if (context.words.get32(context.agent + AGENT_DUTY_KIND) !== 0) context.finishWalk();
    return begun;
  }

  #trySeveral(permits: number): boolean {
    this.checkPermits(permits);
    const { address, tag } = this.ref;
    let taken: number;
    let tries = 0;
    do taken = this.kernel.boxTakeAll(address, tag, this.lineState.entry, permits);
    while (taken === RACED && retryOrThrow(++tries, this));
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #check(priority: number): void {
    // Only the message needs the name. Reading the name takes longer than the whole call.
    if (!Number.isInteger(priority) || priority < 0 || priority >= LEVELS)
      checkInteger(`${this.toString()}: priority`, priority, 0, LEVELS - 1);
  }
}
