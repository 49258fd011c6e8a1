// A semaphore whose number of permits changes, with a debt, divisible guards, waits for a free permit, and a cancel for all waits. Its steps:
// kernel/resizable.ts.

import { MisuseError, type PrimitiveHandle, type SemaphoreReport, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  Account,
  allWaiting,
  asCorrupt,
  awaitInLine,
  BLOCK_KIND,
  BLOCK_TAG,
  blockInLine,
  CAPACITY,
  checkInteger,
  checkOptions,
  checkTimeout,
  checkWait,
  createPermits,
  finishPending,
  FLAGS,
  FROM_OPTIONS,
  FULL,
  handleTo,
  isElement,
  loadKind,
  MAX_PERMITS,
  mayBlock,
  mayRetry,
  mergePolicy,
  MODE_ASYNC,
  MODE_BLOCKING,
  NEEDS_WALK,
  openPrimitive,
  orCorrupt,
  PLACED_OPTIONS,
  PlacedPermits,
  plural,
  RACED,
  refuseToBlock,
  rejected,
  SHUT,
  TAKEN,
  untilWon,
  WAITING,
  wakeNext,
  type AgentContext,
  type Draw,
  type LineAddress,
  type LineSteps,
  type LocalState,
  type Patrol,
  type Release,
} from '@sluice/core/internal';
import { BALANCE, FLAG_WATCH } from './kernel/layout.ts';
import { kernelOf, type MemberKernel } from './kinds.ts';
import type { Membership } from './member.ts';
import type { Capabilities, FamilyOptions } from './options.ts';
import { PermitGuard } from './permit-guard.ts';
import { CancellableWait, RESIZABLE } from './resizable-kind.ts';
import { availability, balanceOf, cancelledError, officeOf, WaitForPermits, Watch } from './resizable-waits.ts';

export type ResizableHandle = PrimitiveHandle<'sluice.resizable-semaphore'>;

/** `max` and `recovery` are missing: `size` is the number of permits, and the holders are always recorded. */
export type ResizableOptions = Pick<FamilyOptions, 'arena' | 'name' | 'policy'>;

export interface ResizableReport extends SemaphoreReport {
  /** The number of permits that exist, free or held. */
  readonly size: number;
  /** How many more permits are held than exist. As many released permits pay the debt before a call gets one. */
  readonly debt: number;
}

const NO_OPTIONS: WaitOptions = {};
const DONE = Promise.resolve();
const CAPABILITIES: Capabilities = { fifo: true, weighted: true, givesUp: true, bounded: false, wakesOne: true };

/** Each look at a wait goes through the steps of this kind. Without a patrol the core takes a shorter way to its own. */
const NO_PATROL: Patrol = { nap: () => Infinity, look: () => undefined };

/**
 * A fair counting semaphore whose number of permits changes while agents use it.
 *
 * - `resize`, `addPermits` and `reducePermits` change the number of permits at once. If more permits are held than exist, the difference is a debt:
 *   released permits pay it before a waiter gets one.
 * - A guard of several permits can be divided, merged and given up: `acquireGuard`.
 * - `waitForUnlock` waits until a permit is free and takes none.
 * - `cancelWaiters` ends all waits that are under way and leaves the semaphore open.
 *
 * Otherwise it is as `Semaphore`: waiters are served in strict FIFO order, whatever number of permits each requests; `tryAcquire` without a
 * timeout does not barge; any agent may release; the permits of a dead agent are released. An acquire or a release that meets no other agent costs
 * one compare-and-swap.
 *
 * ```ts run
 * import { ResizableSemaphore } from '@sluice/semaphores';
 *
 * const connections = ResizableSemaphore.create(3);
 * connections.acquire(3);
 * connections.resize(1);
 * console.log(connections.size, connections.debt); // 1 2
 * connections.release(2);
 * console.log(connections.debt, connections.available); // 0 0
 * connections.release();
 * console.log(connections.available); // 1
 * ```
 */
export class ResizableSemaphore extends PlacedPermits {
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /** Post this to another thread and give it to `ResizableSemaphore.from` there. */
  readonly handle: ResizableHandle;
  readonly #account: Account;
  readonly #office: LineAddress;
  /** The local state, with a patrol. */
  readonly #waits: LocalState;

  private constructor(membership: Membership | undefined) {
    super(membership?.place, membership?.policy as WaitingPolicy, 'ResizableSemaphore', { steps: stepsOf });
    const { place } = this;
    this.#office = officeOf(place.address);
    this.#account = new Account({ className: 'ResizableSemaphore', late: 'gave no permit', untouched: 'No permit was taken.', state: availability }, place);
    this.#waits = { ...this.localState, patrol: NO_PATROL };
    this.handle = handleTo('sluice.resizable-semaphore', place, RESIZABLE.kernel.id);
  }

  /**
   * Creates a semaphore with `permits` free permits. A negative number is a debt: the first `-permits` permits that are released pay it.
   *
   * @param permits - From −(2^31 − 1) to 2^31 − 1.
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: ResizableOptions = {}): ResizableSemaphore {
    checkOptions(options, PLACED_OPTIONS);
    checkInteger('permits', permits, -MAX_PERMITS, MAX_PERMITS);
    const fill = (home: LineAddress, { words }: AgentContext, tag: number): void => {
      const office = officeOf(home);
      words.put32(office + BLOCK_TAG, tag);
      words.put32(office + BLOCK_KIND, RESIZABLE.code);
      words.put32(office + FLAGS, FLAG_WATCH);
      words.store64(office + BALANCE, BigInt(permits) << 32n);
      words.store64(home + CAPACITY, BigInt(permits));
    };
    const [place, policy] = createPermits(0, options, { code: RESIZABLE.code, steps: stepsOf, lines: 2, fill });
    return new ResizableSemaphore({ place, policy });
  }

  /**
   * Opens the semaphore that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live resizable semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: ResizableHandle, options: Pick<ResizableOptions, 'policy'> = {}): ResizableSemaphore {
    checkOptions(options, FROM_OPTIONS);
    const place = openPrimitive(handle, RESIZABLE);
    return new ResizableSemaphore({ place, policy: mergePolicy(place.arena.policy, options.policy) });
  }

  get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /** The number of permits that exist, free or held. A release of permits that no agent holds raises it. Negative after a negative start. */
  get size(): number {
    this.checkThere();
    return Number(this.context.words.load64(this.place.address + CAPACITY));
  }

  /** How many more permits are held than exist. As many released permits pay the debt before a call gets one. */
  get debt(): number {
    this.checkThere();
    return Math.max(0, -balanceOf(this.place));
  }

  override get available(): number {
    this.checkThere();
    return this.isOpen ? Math.max(0, balanceOf(this.place)) : 0;
  }

  /** Whether no permit is free: an `acquire` would wait. */
  get isLocked(): boolean {
    return this.available === 0;
  }

  /** The agents that hold permits, the waiters, and the size. */
  override inspect(): ResizableReport {
    return { ...super.inspect(), available: this.available, size: this.size, debt: this.debt };
  }

  /** Whether `other` is an instance of the same semaphore. */
  isSame(other: ResizableSemaphore): boolean {
    const { place } = this;
    const theirs = other.place;
    return place.context.words === theirs.context.words && place.address === theirs.address && place.tag === theirs.tag;
  }

  /**
   * Acquires `permits`, blocking the calling thread until they are available.
   *
   * Waiters are served in FIFO order, together with async waiters. If the call throws, no permit was taken.
   *
   * @param permits - 1 to 2^31 − 1.
   * @throws {CancelledError} If `cancelWaiters` is called during the wait.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {RangeError} If `permits` is out of range, or the waiters together would lack more than 2^31 − 1 permits.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter on this semaphore, which could not settle while the agent is blocked.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    if (!this.#take(permits)) this.#block(permits, Infinity);
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs`; returns whether it did.
   *
   * With 0, the default, the call does not wait. Throws as `acquire` does; `DeadlockError` only if `timeoutMs` is `Infinity`.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#take(permits) || (timeoutMs !== 0 && this.#block(permits, timeoutMs));
  }

  /**
   * Acquires `permits` without blocking the thread; the promise resolves when they are acquired.
   *
   * Waits in the same FIFO line as `acquire`. A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with what `acquire` throws,
   * `TimeoutError` and `signal.reason`; then no permit was taken.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      return this.#take(permits) ? DONE : this.#await(permits, checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  /** Acquires all free permits at once, without waiting; returns how many. Throws `ClosedError`. */
  drain(): number {
    const { address, tag } = this.place;
    const taken = untilWon(() => this.#kernel.drainSized(address, tag, this.localState.entry));
    if (taken === SHUT) throw this.#shut();
    return taken;
  }

  /**
   * Releases `permits` and wakes the waiters that can now proceed. They pay the debt first.
   *
   * Any agent may release, also permits that another agent acquired. On a closed semaphore the call succeeds and wakes no waiter.
   *
   * @param permits - 1 to 2^31 − 1.
   * @throws {RangeError} If `permits` is out of range, or more than 2^31 − 1 permits would be free. Nothing was released.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { address, tag } = this.place;
    const { entry } = this.localState;
    const released = this.#change(() => this.#kernel.releaseSized(address, tag, this.context.agent, entry, permits));
    if (released === SHUT) this.#noteReleased(permits);
    else if (released === FULL) throw this.#tooMany(`releasing ${permits}`);
  }

  /**
   * Sets the number of permits that exist. More permits wake waiters. Fewer are taken from the free ones; if more permits are held than exist, the
   * difference is a debt.
   *
   * @param size - 0 to 2^31 − 1.
   * @throws {RangeError} If `size` is out of range.
   * @throws {ClosedError} If the semaphore is closed.
   */
  resize(size: number): void {
    checkInteger(`${this.toString()}: size`, size, 0, MAX_PERMITS);
    this.#resize(size, 0, `a size of ${size}`);
  }

  /** Adds `permits` new permits. Throws `RangeError`, also if there would be more than 2^31 − 1; `ClosedError`. */
  addPermits(permits: number): void {
    checkInteger(`${this.toString()}: permits to add`, permits, 1, MAX_PERMITS);
    this.#resize(permits, 1, `adding ${permits}`);
  }

  /**
   * Takes `permits` permits out of the semaphore: free ones, and for the rest a debt, as `Semaphore.reducePermits` of `java.util.concurrent`. Throws
   * `RangeError`, `ClosedError`.
   */
  reducePermits(permits: number): void {
    checkInteger(`${this.toString()}: permits to take out`, permits, 1, MAX_PERMITS);
    this.#resize(-permits, 1, `taking out ${permits}`);
  }

  /**
   * Gives up `permits` permits that the caller has acquired: they are never released, and `size` falls by their number. See `PermitGuard.forget`.
   *
   * @throws {RangeError} If `permits` is out of range.
   * @throws {MisuseError} If fewer permits are held, by all agents together. Nothing was changed.
   */
  forget(permits: number): void {
    this.checkPermits(permits);
    const { address, tag } = this.place;
    const forgotten = this.#kernel.forgetSized(address, tag, this.localState.entry, permits);
    if (forgotten === SHUT) this.checkThere();
    if (forgotten === FULL) throw new MisuseError(`${this.toString()}: forget(${permits}) is for more permits than are held. Nothing was changed.`);
  }

  /** Acquires `permits` as `acquire` does; returns a guard that can be divided and given up. */
  acquireGuard(permits = 1): PermitGuard {
    this.acquire(permits);
    return new PermitGuard(this, permits);
  }

  /** Acquires `permits` as `tryAcquire` does; returns a guard, or `null` if they were not acquired. */
  tryAcquireGuard(permits = 1, timeoutMs = 0): PermitGuard | null {
    return this.tryAcquire(permits, timeoutMs) ? new PermitGuard(this, permits) : null;
  }

  /** Acquires `permits` as `acquireAsync` does; resolves with a guard. */
  async acquireGuardAsync(permits = 1, options?: WaitOptions): Promise<PermitGuard> {
    await this.acquireAsync(permits, options);
    return new PermitGuard(this, permits);
  }

  /**
   * Waits until `permits` permits are free, for at most `timeoutMs`, and takes none; returns whether they were. Another agent may have taken them when the
   * call returns. For one permit no moment is missed. For several, the call looks again each time a permit becomes free.
   *
   * @param permits - 1 to 2^31 − 1.
   * @param timeoutMs - Milliseconds, 0 or more. Default: no limit.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `waitForUnlockAsync`.
   */
  waitForUnlock(permits = 1, timeoutMs = Infinity): boolean {
    if (permits !== 1) this.checkPermits(permits);
    checkTimeout(timeoutMs);
    const { parking } = this.context;
    const watch = new Watch(this.place, this.policy, permits, this.#account);
    const end = timeoutMs === Infinity ? Infinity : parking.now() + timeoutMs;
    for (;;) {
      const seen = watch.line.enter(end === Infinity ? Infinity : Math.max(0, end - parking.now()));
      if (seen === SHUT) throw this.#shut();
      if (seen === WAITING) return false;
      if (watch.isOver) return true;
    }
  }

  /** As `waitForUnlock`, without blocking. Rejects with `TimeoutError`, `signal.reason` and `ClosedError`. */
  async waitForUnlockAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    if (permits !== 1) this.checkPermits(permits);
    const { timeout = Infinity, ...others } = options === NO_OPTIONS ? options : checkWait(options);
    const { parking } = this.context;
    const watch = new Watch(this.place, this.policy, permits, this.#account, timeout);
    const end = parking.now() + timeout;
    do {
      const left = timeout === Infinity ? {} : { timeout: Math.max(0, end - parking.now()) };
      if ((await watch.line.enterAsync({ ...others, ...left })) === SHUT) throw this.#shut();
    } while (!watch.isOver);
  }

  /**
   * Ends all waits for permits that are under way with `CancelledError`, in all agents. Their permits go to later calls, and the semaphore stays open.
   * A wait whose permits came before the call succeeds, unless its thread sees them only after another such call. No call revokes an earlier one: a
   * wait that lacked permits then does not succeed. Waits of `waitForUnlock` go on.
   *
   * A waiter leaves the line when its thread runs next. If that thread is busy with something else, permits that reach its place in line move on
   * when it is done. Of the async waits of the calling thread, the oldest 256 leave the line before the call returns, and the others in the next turns
   * of its event loop.
   *
   * @param reason - A whole number for the `reason` of the errors, 0 to 2^31 − 1. Only a number reaches other threads in one step. A thread that looks
   *   after several calls gets that of the last. Default: 0.
   * @throws {RangeError} If `reason` is out of range.
   * @throws {ClosedError} If the semaphore is closed.
   */
  cancelWaiters(reason = 0): void {
    checkInteger(`${this.toString()}: the reason`, reason, 0, MAX_PERMITS);
    const { address, tag } = this.place;
    const { context } = this;
    const cancelled = untilWon(() => this.#kernel.cancelAllSized(address, tag, context.agent, reason));
    // Also on SHUT: an earlier call that lost a race has noted visits in the record.
    context.finishWalk();
    if (cancelled === SHUT) throw this.#shut();
    // The oldest waits of this agent leave the line before the call returns, as many as settle in one turn of the event loop.
    this.localState.asyncWaits.settleOrFail();
  }

  /** Closes the semaphore: every waiter and every later attempt to acquire fails with `ClosedError`. Closing it again has no effect. */
  close(): void {
    this.checkThere();
    const { address, tag } = this.place;
    this.#kernel.closeSized(this.context.agent, address, tag);
    this.context.finishWalk();
  }

  /** As `Semaphore.free`. An agent in `waitForUnlock` counts as a waiter. */
  override free(): void {
    const watchers = [...allWaiting(this.context.words)].filter(({ address, tag }) => address === this.#office && tag === this.place.tag);
    if (this.isOpen && watchers.length > 0) throw new MisuseError(`${this.toString()} is in use and cannot be freed: ${plural(watchers.length, 'agent')} in waitForUnlock. Close it first.`);
    super.free();
  }

  protected override get lines(): readonly LineAddress[] {
    return [this.#office];
  }

  protected override get account(): Account {
    return this.#account;
  }

  get #kernel(): MemberKernel {
    return kernelOf(this.context);
  }

  #take(permits: number): boolean {
    const { address, tag } = this.place;
    const { entry } = this.localState;
    let taken: number;
    let tries = 0;
    do taken = this.#kernel.takeSized(address, tag, entry, permits);
    // Permits may wait for the recovery of a dead agent that was left to agents with this kind.
    while ((taken === RACED && mayRetry(++tries)) || (taken === WAITING && finishPending(this.context)));
    if (taken === SHUT) throw this.#shut();
    return taken === TAKEN;
  }

  #block(permits: number, timeoutMs: number): boolean {
    if (!mayBlock()) refuseToBlock();
    const { context } = this;
    const drawn = this.#draw(permits, MODE_BLOCKING);
    const wait = this.#newWait();
    const outcome = blockInLine<typeof TAKEN | typeof SHUT>(context, { ...this.#waits, line: wait }, drawn, this.policy, timeoutMs, this.#account);
    if (outcome === SHUT) throw this.#account.closed();
    if (outcome === WAITING && wait.reason !== undefined) throw cancelledError(this.#account, permits, wait.reason);
    return outcome === TAKEN;
  }

  async #await(permits: number, options: WaitOptions): Promise<void> {
    const { context } = this;
    const wait = this.#newWait();
    const what = new WaitForPermits(this.#account, permits, wait);
    if (options.timeout === 0) throw what.timedOut(0, 0);
    const draw = (): Draw => {
      const drawn = this.#draw(permits, MODE_ASYNC);
      return isElement(drawn) ? context.begin(drawn, this.localState.entry, MODE_ASYNC) : drawn;
    };
    const outcome = await awaitInLine<typeof TAKEN | typeof SHUT>(context, { ...this.#waits, line: wait }, draw, options, what);
    if (outcome === SHUT) throw this.#account.closed();
  }

  #newWait(): CancellableWait {
    return new CancellableWait(this.context, this.#kernel, this.#waits.line);
  }

  /** Draws a ticket: TAKEN, SHUT or the element that is to wait. */
  #draw(permits: number, mode: number): Draw {
    const { context } = this;
    const { address, tag } = this.place;
    const { entry } = this.localState;
    // Before it is counted: from then on the wait must have all that it needs.
    context.refill(mode);
    const drawn = orCorrupt(() => untilWon(() => this.#kernel.enqueueSized(address, tag, entry, context.agent, permits)));
    if (drawn === FULL) throw new RangeError(`${this.toString()}: with ${permits} more, its waiters together would lack more than ${MAX_PERMITS} permits. No permit was taken.`);
    // What this waiter took into the line may be for an earlier one.
    context.finishWalk();
    return drawn;
  }

  #resize(value: number, isChange: number, what: string): void {
    const { address, tag } = this.place;
    const resized = this.#change(() => this.#kernel.resizeSized(address, tag, this.context.agent, value, isChange));
    if (resized === SHUT) throw this.#shut();
    if (resized === FULL) throw this.#tooMany(what);
  }

  /** Runs a step that gives permits until it has won, and wakes the waiters that got some. */
  #change(step: () => Release): Release {
    let changed: Release;
    let tries = 0;
    try {
      do changed = step();
      while (changed === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (changed === NEEDS_WALK) wakeNext(this.context, this.place.address, this.policy);
    return changed;
  }

  /** After a release on a closed semaphore: no waiter needs the permits; the agent's ledger no longer lists them. */
  #noteReleased(permits: number): void {
    this.checkThere();
    const { entry } = this.localState;
    const { words } = this.context;
    words.put64(entry, BigInt(Math.max(0, Number(words.get64(entry)) - permits)));
  }

  #tooMany(what: string): RangeError {
    return new RangeError(`${this.toString()}: ${what} would leave more than ${MAX_PERMITS} permits, or a debt of more (size ${this.size}, ${this.available} available). Nothing was changed.`);
  }

  #shut(): Error {
    this.checkThere();
    return this.#account.closed();
  }
}

function stepsOf(context: AgentContext): LineSteps {
  return loadKind(context, RESIZABLE).steps;
}
