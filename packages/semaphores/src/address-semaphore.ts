// The semaphore from WaitOnAddress (Chen): a count of tokens, and whoever finds one takes it. Who finds none sleeps on the count.

import type { SemaphoreReport, Waiter, WaitOptions } from '@sluice/core';
import {
  asCorrupt,
  checkTimeout,
  checkWait,
  GRANT_SLEEPERS,
  FLAG_SEVERAL,
  FLAG_TOKENS,
  FLAGS,
  GRANT,
  list,
  MAX_PERMITS,
  mayBlock,
  mayRetry,
  PermitsWanted,
  RACED,
  refuseToBlock,
  rejected,
  SHUT,
  spinIfItPays,
  TAKEN,
  unlist,
  waitersWithoutTicket,
  WAITING,
  NEEDS_WALK,
  watchWord,
} from '@sluice/core/internal';
import { awaitTurn } from './async-turn.ts';
import { claimOn, type Spot, type Ticket } from './line.ts';
import { createMember, FamilySemaphore, findMember, type FamilyHandle, type Membership } from './member.ts';
import type { Capabilities, FamilyOptions } from './options.ts';

const NO_OPTIONS: WaitOptions = {};
const CAPABILITIES: Capabilities = { fifo: false, weighted: true, givesUp: true, bounded: true, wakesOne: true };

/**
 * Not fair: a token goes to the agent that comes first, and a waiter that is woken may find it gone. A release of one permit wakes one of the
 * agents that block, and each agent that has async waits, which asks its own, the oldest first. A release of several permits wakes all
 * agents; once an agent has blocked for several permits, every release does. The least work where order means nothing.
 *
 * ```ts run
 * import { AddressSemaphore } from '@sluice/semaphores';
 *
 * const sem = AddressSemaphore.create(2);
 * sem.acquire();
 * console.log(sem.available, sem.tryAcquire(2)); // 1 false
 * sem.release();
 * await sem.runAsync(async () => console.log(sem.available)); // 1
 * ```
 */
export class AddressSemaphore extends FamilySemaphore {
  /** What it can do. */
  static get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  private constructor(membership: Membership) {
    super(membership, 'AddressSemaphore', false);
  }

  /** A new semaphore with `permits` free. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(permits: number, options: FamilyOptions = {}): AddressSemaphore {
    return new AddressSemaphore(createMember(FLAG_TOKENS, permits, options, { ordered: false }));
  }

  /** The semaphore that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: FamilyHandle, options: Pick<FamilyOptions, 'policy'> = {}): AddressSemaphore {
    return new AddressSemaphore(findMember(FLAG_TOKENS, handle, options, 'AddressSemaphore'));
  }

  /** What this one can do. */
  override get capabilities(): Capabilities {
    return CAPABILITIES;
  }

  /**
   * Takes `permits`, blocking until they are there. One that wants several may wait for ever where others take single ones. Throws
   * `RangeError`, `ClosedError`, `MisuseError` (a browser's main thread), `ArenaFullError`.
   */
  override acquire(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    if (!mayBlock()) refuseToBlock();
    if (!this.#take(permits)) this.#block(permits, Infinity);
  }

  /** As `acquire`, for `timeoutMs` ms at the most; whether it did. */
  override tryAcquire(permits = 1, timeoutMs = 0): boolean {
    if (permits !== 1) this.checkPermits(permits);
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#take(permits)) return true;
    if (timeoutMs === 0) return false;
    if (!mayBlock()) refuseToBlock();
    return this.#block(permits, timeoutMs === Infinity ? Infinity : this.context.parking.now() + timeoutMs);
  }

  /** As `acquire` without blocking. Rejects with what `acquire` throws, `TimeoutError`, `signal.reason`; then nothing was taken. */
  override acquireAsync(permits = 1, options: WaitOptions = NO_OPTIONS): Promise<void> {
    try {
      if (permits !== 1) this.checkPermits(permits);
      const checked = options === NO_OPTIONS ? options : checkWait(options);
      if (this.#take(permits)) return Promise.resolve();
      return this.#await(permits, checked);
    } catch (failure) {
      return rejected(failure);
    }
  }

  async #await(permits: number, options: WaitOptions): Promise<void> {
    const { context, policy, place } = this;
    // Of those that want equally many only the oldest is asked. Where the others sleep is the same for all.
    const spot = { context, policy, sem: place.address, bucket: context.kernel.bucketAt(place.address, 0), group: permits, isLane: false };
    const listed = list(context, { tag: place.tag, permits });
    const end = (verdict: number): number => {
      unlist(context, listed);
      return verdict;
    };
    const moves = { element: 0, look: () => this.#takeOnce(permits), end };
    const { outcome, reason } = await awaitTurn(spot, this.localState, moves, options, new PermitsWanted(this.account, permits));
    if (outcome === SHUT) throw this.shutInLine();
    // An abort's reason passes untouched, also one that is no Error.
    if (outcome === WAITING) await rejected(reason);
  }

  /**
   * Gives `permits` back, or adds new ones; any agent may. Throws `RangeError` (also beyond `max`, and then nothing was released),
   * `MisuseError` (freed). Of a closed semaphore nobody gets them.
   */
  override release(permits = 1): void {
    if (permits !== 1) this.checkPermits(permits);
    const { kernel, agent, parking } = this.context;
    const { address, tag } = this.place;
    let released: number;
    let tries = 0;
    try {
      do released = kernel.giveTokens(address, tag, agent, this.localState.entry, permits);
      while (released === RACED && mayRetry(++tries));
    } catch (failure) {
      throw asCorrupt(failure);
    }
    if (released <= NEEDS_WALK) return this.finishRelease(released, permits);
    // After the step: who wants several says so before it is counted among those who sleep.
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

  /** TAKEN, SHUT, WAITING. */
  #takeOnce(permits: number): number {
    const { address, tag } = this.place;
    let taken: number;
    let tries = 0;
    do taken = this.context.kernel.takeTokens(address, tag, this.localState.entry, permits);
    while (taken === RACED && mayRetry(++tries));
    return taken;
  }

  #block(permits: number, deadline: number): boolean {
    const { context, policy } = this;
    const { address, tag } = this.place;
    let taken = false;
    const look = (): boolean => (taken ||= this.#takeInLine(permits));
    if (spinIfItPays(context, policy, () => (look() ? TAKEN : WAITING)) === TAKEN) return true;
    if (permits > 1) this.#wantSeveral();
    const watched = { word: address + GRANT, sleepers: address + GRANT_SLEEPERS, isEnough: (tokens: number) => tokens >= permits, claim: { tag, permits } };
    watchWord(context, policy, watched, look, deadline);
    return taken;
  }

  /** From now on a release wakes all: whoever is woken alone and finds too few would let the wake-up of another be in vain. */
  #wantSeveral(): void {
    const { words } = this.context;
    const at = this.place.address + FLAGS;
    for (let flags = words.load32(at); (flags & FLAG_SEVERAL) === 0; flags = words.load32(at)) words.cas32(at, flags, flags | FLAG_SEVERAL);
  }

  /** Agents and async waits that sleep until permits are there. Costs a pass over all waiters of the arena. */
  override get waiting(): number {
    return this.#waiters().length;
  }

  /** Who holds permits, who waits and since when: a snapshot. */
  override inspect(): SemaphoreReport {
    return { ...super.inspect(), waiters: this.#waiters() };
  }

  #waiters(): Waiter[] {
    this.checkThere();
    return waitersWithoutTicket(this.context.words, this.place.tag);
  }

  protected override drainOnce(): number {
    if (!this.isOpen) return SHUT;
    const free = Math.min(this.available, MAX_PERMITS);
    if (free === 0) return 0;
    const { address, tag } = this.place;
    const taken = this.context.kernel.takeTokens(address, tag, this.localState.entry, free);
    return taken === TAKEN ? free : taken === SHUT ? SHUT : RACED;
  }
}

/** Waits for a token in one of the lines behind another, where who waits is known. */
export function watchTokens({ context, policy, sem }: Spot, { look }: Ticket, deadline: number): void {
  if (spinIfItPays(context, policy, () => (look() ? TAKEN : WAITING)) === TAKEN) return;
  const watched = { word: sem + GRANT, sleepers: sem + GRANT_SLEEPERS, isEnough: (tokens: number) => tokens > 0, claim: claimOn(context, sem) };
  watchWord(context, policy, watched, look, deadline);
}
