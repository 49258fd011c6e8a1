// The semaphore from WaitOnAddress (Chen): a count of tokens. A thread that finds a token takes it; otherwise it sleeps
// on the count.

import type { SemaphoreReport, Waiter, WaitOptions } from '@sluice/core';
import { FLAGS, GRANT, RACED, SHUT, TAKEN, WAITING, type ElementAddress, type Poll } from '@sluice/core/format';
import { checkTimeout, checkWait, MAX_PERMITS, NO_WAIT_OPTIONS, refuseToBlock, rejected } from '@sluice/core/calls';
import {
  asCorrupt,
  deadlineIn,
  finishPending,
  mayBlock,
  publishAsyncWait,
  retryOrThrow,
  orCorrupt,
  PermitErrors,
  spinIfItPays,
  watchWord,
  withdrawAsyncWait,
} from '@sluice/core/internal';
import { countWithoutTicket, waitersWithoutTicket, describeWaiters, type Counted } from '@sluice/core/report';
import type { Capabilities } from '@sluice/semaphores';
import type { ReleaseOrTell } from '@sluice/semaphores/kernel';
import { awaitTurn } from './async-turn.ts';
import { FLAG_SEVERAL, FLAG_TOKENS, GRANT_SLEEPERS } from './kernel/layout.ts';
import { claimOn, type Ticket } from './ticket-waits.ts';
import type { AgentLine } from './agent-line.ts';
import { createMember, MemberSemaphore, findMember, type FamilyHandle, type Membership } from './create-and-open.ts';
import type { FamilyOptions } from './options.ts';

const CAPABILITIES: Capabilities = { fifo: false, weighted: true, givesUp: true, bounded: true, wakesOne: true };

/**
 * A barging (unfair) semaphore, the cheapest one if the order does not matter. An arriving agent takes a free token, so
 * a woken waiter may find none. A release of one permit wakes one blocked agent, and each agent with async waits. Such
 * an agent tries its waits, the oldest first. A release of several permits wakes all agents. Once an agent has blocked
 * for several permits, every release wakes all agents.
 *
 * ```ts run
 * import { AddressSemaphore } from '@sluice/classics';
 *
 * const sem = AddressSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class AddressSemaphore extends MemberSemaphore {
  /** The capabilities of this kind of semaphore, and the order that it keeps. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'AddressSemaphore', false);
  }

  /**
   * Creates a semaphore with `permits` free permits.
   *
   * @throws {RangeError} If `permits` or an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(permits: number, options: FamilyOptions = {}): AddressSemaphore {
    return new AddressSemaphore(createMember(FLAG_TOKENS, permits, options, { ordered: false }));
  }

  /**
   * Opens the semaphore that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live semaphore.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): AddressSemaphore {
    return new AddressSemaphore(findMember(FLAG_TOKENS, handle, options, 'AddressSemaphore'));
  }

  /** The capabilities of this kind of semaphore, and the order that it keeps. */
  override get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /**
   * Acquires `permits`, blocking until they are available. A call for several permits may wait for ever while other
   * agents take single ones.
   *
   * @throws {RangeError} If `permits` is out of range.
   * @throws {ClosedError} If the semaphore is closed, before or during the wait.
   * @throws {MisuseError} On a browser's main thread; use `acquireAsync`.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    if (!mayBlock()) refuseToBlock();
    if (!this.#take(permits)) this.#block(permits, Infinity);
  }

  /**
   * Acquires `permits` if they become available within `timeoutMs` ms. Returns whether it acquired them.
   *
   * @throws The errors of `acquire`.
   */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#take(permits)) return true;
    if (timeoutMs === 0) return false;
    if (!mayBlock()) refuseToBlock();
    return this.#block(permits, deadlineIn(this.context.parking, timeoutMs));
  }

  /**
   * Acquires `permits` as `acquire` does, without blocking. Rejects with the errors of `acquire`, with `TimeoutError`
   * and with `signal.reason`. Then no permit was taken.
   */
  override acquireAsync(permits = 1, options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = checkWait(options);
      if (this.#take(permits)) return this.context.budget.done();
      return this.#await(permits, checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  async #await(permits: number, options: WaitOptions): Promise<void> {
    const { context, policy, ref } = this;
    // Of the waits for the same number of permits, only the oldest is tried. All of them sleep in the same place.
    const agentLine = {
      context,
      policy,
      line: ref.address,
      bucket: context.kernel.bucketAt(ref.address, 0),
      group: permits,
      isLane: false,
    };
    const listed = publishAsyncWait(context, { tag: ref.tag, permits });
    const end = (verdict: Poll): Poll => {
      withdrawAsyncWait(context, listed);
      return verdict;
    };
    const moves = { element: listed, look: () => this.#takeOnce(permits), end };
    const { outcome, reason } = await awaitTurn(
      agentLine,
      this.lineState,
      moves,
      options,
      new PermitErrors(this.errors, permits),
    );
    if (outcome === SHUT) throw this.shutInLine();
    // An abort's reason passes unchanged, even if it is not an Error.
    if (outcome === WAITING) await rejected(reason);
  }

  /**
   * Releases `permits`, or adds new ones. Any agent may release. On a closed semaphore no waiter gets them.
   *
   * @throws {RangeError} If `permits` is out of range, or if there would be more than `max`. Then nothing was released.
   * @throws {MisuseError} If the semaphore was freed.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { agent, parking } = this.context;
    const { address, tag } = this.ref;
    let released: ReleaseOrTell;
    let tries = 0;
    try {
      do released = this.kernel.giveTokens(address, tag, agent, this.lineState.entry, permits);
      while (released === RACED && retryOrThrow(++tries, this));
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (released <= 0) return this.finishRelease(released, permits);
    // Read after the step: an agent that wants several permits sets the flag before it is counted as a sleeper.
    const onlyOne = permits === 1 && (this.context.words.load32(address + FLAGS) & FLAG_SEVERAL) === 0;
    parking.notify(address + GRANT, onlyOne ? 1 : undefined);
    this.context.finishWalk();
  }

  #take(permits: number): boolean {
    const taken = this.#takeOnce(permits);
    if (taken === SHUT) throw this.shut();
    return taken === TAKEN;
  }

  #takeInLine(permits: number): boolean {
    const taken = this.#takeOnce(permits);
    if (taken === SHUT) throw this.shutInLine();
    return taken === TAKEN;
  }

  /** Makes one attempt. Returns TAKEN, SHUT or WAITING. */
  #takeOnce(permits: number): Poll {
    const { address, tag } = this.ref;
    for (let tries = 1; ; tries++) {
      const taken = this.kernel.takeTokens(address, tag, this.lineState.entry, permits);
      if (taken === RACED) retryOrThrow(tries, this);
      // A dead agent's tokens may wait for a recovery that only agents with this kind can finish.
      else if (taken !== WAITING || !finishPending(this.context)) return taken;
    }
  }

  #block(permits: number, deadline: number): boolean {
    const { context, policy } = this;
    const { address, tag } = this.ref;
    let taken = false;
    const look = (): boolean => (taken ||= this.#takeInLine(permits));
    if (spinIfItPays(context, policy, () => (look() ? TAKEN : WAITING)) === TAKEN) return true;
    if (permits > 1) this.#wantSeveral();
    const watched = {
      word: address + GRANT,
      sleepers: address + GRANT_SLEEPERS,
      isEnough: (tokens: number) => tokens >= permits,
      claim: { tag, permits },
    };
    orCorrupt(() => watchWord(context, policy, watched, look, deadline), this);
    return taken;
  }

  /**
   * Makes every later release wake all agents. If a release woke only an agent that finds too few tokens, it would
   * waste a wake-up that another agent could use.
   */
  #wantSeveral(): void {
    const { words } = this.context;
    const at = this.ref.address + FLAGS;
    for (let flags = words.load32(at); (flags & FLAG_SEVERAL) === 0; flags = words.load32(at))
      words.cas32(at, flags, flags | FLAG_SEVERAL);
  }

  /**
   * The number of agents and async waits that sleep until permits are available. The call visits all waiters of the
   * arena.
   */
  override get waiting(): number {
    return this.#waiters().length;
  }

  protected override countForText(element: ElementAddress | 0): Counted {
    return countWithoutTicket(this.context.words, this.ref.tag, element);
  }

  /** Returns a snapshot: the agents that hold permits, the waiters and the start of each wait. */
  override inspect(): SemaphoreReport {
    return { ...super.inspect(), waiters: this.#waiters() };
  }

  #waiters(): Waiter[] {
    this.checkThere();
    return describeWaiters(this.context, waitersWithoutTicket(this.context.words, this.ref.tag));
  }

  protected override drainOnce(): number {
    if (!this.isOpen) return SHUT;
    const free = Math.min(this.available, MAX_PERMITS);
    if (free === 0) return 0;
    const { address, tag } = this.ref;
    const taken = this.kernel.takeTokens(address, tag, this.lineState.entry, free);
    return taken === TAKEN ? free : taken === SHUT ? SHUT : RACED;
  }
}

/** Waits for a token in a line behind the front of a composite semaphore. The line records its waiters. */
export function watchTokens({ context, policy, line }: AgentLine, { look }: Ticket, deadline: number): void {
  if (spinIfItPays(context, policy, () => (look() ? TAKEN : WAITING)) === TAKEN) return;
  const watched = {
    word: line + GRANT,
    sleepers: line + GRANT_SLEEPERS,
    isEnough: (tokens: number) => tokens > 0,
    claim: claimOn(context, line),
  };
  watchWord(context, policy, watched, look, deadline);
}
