// The ticket lock (Reed & Kanodia; Mellor-Crummey & Scott) over core's semaphore: a ticket and a grant counter. Waiters
// wait in a waiting array instead of spinning on the grant. Steps: kernel/ticket-lock.ts. Counters and proof: core's
// kernel/admit.ts.

import { OwnedLock, type Arena, type WaitingPolicy } from '@sluice/core';
import {
  type SHUT,
  FLAG_RECOVERY,
  GRANT,
  IDLE,
  NEEDS_WALK,
  TAKEN,
  type AgentAddress,
  type HandOver,
} from '@sluice/core/format';
import { checkTimeout, INSPECT, refuseToBlock } from '@sluice/core/calls';
import {
  asCorrupt,
  createOwnedLock,
  handleTo,
  mayBlock,
  openWithPolicy,
  BlockEntrance,
  type LockOptions,
  type LockShape,
  type BlockRef,
  type PrimitiveHandle,
  type LineState,
} from '@sluice/core/internal';
import { allHoldings } from '@sluice/core/report';
import { TICKET, type LocksKernel, type LockSteps } from './kinds.ts';
import { reportLock, type LockReport } from './report.ts';

export type TicketLockHandle = PrimitiveHandle<'sluice.ticket-lock'>;

const SHAPE: LockShape = {
  className: 'TicketLock',
  what: 'The lock',
  behaviour: { recorded: true },
  kind: TICKET,
  enterOrEnqueue: ({ context: { kernel, agent }, address, tag }) => {
    // Not a copy of the step: an agent that leaves the arena replaces the step.
    const steps = kernel as LocksKernel;
    return (mayWait, entry) => steps.enqueueAtTicketLock(address, tag, entry, agent, mayWait);
  },
  exit: ({ ref: { address, context }, waitLine }) =>
    waitLine.wake((context.kernel as LocksKernel).passTicket(address, context.agent, waitLine.entry)),
  isOwner: ({ ref, waitLine }) => ref.context.words.get64(waitLine.entry) > 0n,
};
let construct: (ref: BlockRef, policy: WaitingPolicy) => TicketLock;

/**
 * A fair lock, the ticket lock: the waiter with the lowest ticket acquires it next.
 *
 * Strict FIFO order over blocking and async waiters together. The classic ticket lock has no timeouts. This lock has
 * them, as the core's semaphore does: the ticket of a waiter that gave up is skipped. When the owner dies and is
 * reclaimed, the next waiter acquires the lock with `OwnerDiedError` (see `OwnedLock`).
 *
 * ```ts run
 * import { TicketLock } from '@sluice/classics';
 *
 * const lock = TicketLock.create();
 * lock.lock();
 * console.log(lock.tryLock(5)); // false
 * lock.unlock();
 * ```
 */
export class TicketLock extends OwnedLock {
  /** The handle to post to another thread. Pass it to `TicketLock.from` there. */
  readonly handle: TicketLockHandle;
  readonly #entrance: BlockEntrance;
  // The fields of the uncontended paths. Numbers come from the line state if it has them: the engine knows that its
  // fields are integers.
  readonly #lineState: LineState;
  readonly #agent: AgentAddress;
  readonly #take: LockSteps['lockTicket'];
  readonly #takeOnce: LockSteps['lockTicket'];
  readonly #give: LockSteps['unlockTicket'];

  static {
    construct = (ref, policy) => new this(ref, policy);
  }

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const entrance = new BlockEntrance(ref, policy, SHAPE);
    super(entrance);
    const kernel = ref.context.kernel as LocksKernel;
    this.#entrance = entrance;
    this.#lineState = entrance.lineState;
    this.#agent = ref.context.agent;
    this.#take = mayBlock() ? kernel.lockTicket : refuseToBlock;
    this.#takeOnce = kernel.lockTicket;
    this.#give = kernel.unlockTicket;
    this.handle = handleTo('sluice.ticket-lock', ref, TICKET.kernel.id);
  }

  /**
   * Creates a free lock.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LockOptions = {}): TicketLock {
    return construct(
      ...createOwnedLock(TICKET, options, {
        flags: FLAG_RECOVERY,
        recorded: true,
        fill: (words, lock) => words.store64(lock + GRANT, 1n),
      }),
    );
  }

  /**
   * Opens the lock that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: TicketLockHandle, options: Pick<LockOptions, 'policy'> = {}): TicketLock {
    return construct(...openWithPolicy(TICKET, handle, options));
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    return this.#entrance.name;
  }

  /** The arena that contains the lock. */
  get arena(): Arena {
    return this.#entrance.ref.arena;
  }

  /**
   * Acquires the lock, blocking until this agent owns it.
   *
   * @throws {MisuseError} If this agent already owns the lock. Also on a browser's main thread; use `lockAsync`.
   * @throws {OwnerDiedError} If an owner died; it has the guard, if the lock can be acquired.
   * @throws {DeadlockError} If this agent has an earlier async wait on the same lock.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    const { block, tag, entry } = this.#lineState;
    if (this.#take(block, tag, entry) !== TAKEN) super.lock();
  }

  /**
   * Acquires the lock if it becomes available within `timeoutMs` ms. With 0, the default, it does not wait. Returns
   * whether this agent owns the lock now. Never barges.
   *
   * @throws The errors of `lock`; `MisuseError` and `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { block, tag, entry } = this.#lineState;
    return this.#takeOnce(block, tag, entry) === TAKEN || super.tryLock(timeoutMs);
  }

  /**
   * Hands the lock to the next waiter.
   *
   * @throws {MisuseError} If this agent does not own the lock.
   */
  override unlock(): void {
    const { block, tag, entry } = this.#lineState;
    let given: HandOver | typeof SHUT;
    try {
      given = this.#give(block, tag, this.#agent, entry);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (given === IDLE) return;
    if (given === NEEDS_WALK) this.#entrance.waitLine.wake(given);
    else super.unlock();
  }

  /** Returns a snapshot: the owner, the waiters and the start of each wait, and whether an owner died. */
  inspect(): LockReport<'ticket-lock'> {
    const { ref, waitLine } = this.#entrance;
    this.#entrance.checkThere();
    const holds = [...allHoldings(ref.context)].find(({ address, tag }) => address === ref.address && tag === ref.tag);
    return reportLock('ticket-lock', ref, holds?.agent ?? 0, waitLine.inspect());
  }

  /**
   * Frees the lock's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the lock. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent owns the lock or waits for it, or it was already freed.
   */
  free(): void {
    this.#entrance.free();
  }

  override [INSPECT](): string {
    return this.#entrance.view(() => this.inspect());
  }
}

/** Creates a lock over existing words. For models. */
export function ticketLockAt(ref: BlockRef, policy: WaitingPolicy): TicketLock {
  return construct(ref, policy);
}
