// The test-and-test-and-set lock (Rudolph & Segall). Its waiters can sleep. Steps: kernel/tts.ts. Words, states and
// invariants: the core's kernel/competing-lock.ts.

import { OwnedLock, type Arena, type WaitingPolicy } from '@sluice/core';
import { type SHUT, IDLE, NEEDS_WALK, TAKEN, type AgentAddress, type HandOver } from '@sluice/core/format';
import { checkTimeout, INSPECT, refuseToBlock } from '@sluice/core/calls';
import {
  asCorrupt,
  createOwnedLock,
  handleTo,
  isAwaited,
  mayBlock,
  openWithPolicy,
  BlockEntrance,
  retryWhileRaced,
  type LockOptions,
  type LockShape,
  type BlockRef,
  type PrimitiveHandle,
  type LineState,
} from '@sluice/core/internal';
import { ownerOrReceiver } from '@sluice/core/report';
import { TTS, type LocksKernel, type LockSteps } from './kinds.ts';
import { reportLock, type LockReport } from './report.ts';

export type TtsLockHandle = PrimitiveHandle<'sluice.tts-lock'>;

const SHAPE: LockShape = {
  className: 'TtsLock',
  what: 'The lock',
  behaviour: { unordered: true, competing: true },
  kind: TTS,
  enterOrEnqueue: ({ context: { kernel, agent }, address, tag }) => {
    // Not a copy of the step: an agent that leaves the arena replaces the step.
    const steps = kernel as LocksKernel;
    return (mayWait) => steps.enqueueAtTts(address, tag, agent, mayWait);
  },
  exit: ({ ref: { address, context }, waitLine, errors }) => {
    const { passTts } = context.kernel as LocksKernel;
    waitLine.wake(retryWhileRaced(() => passTts(address, context.agent, context.id), errors));
  },
  // `tryLock` barges past waiters.
  isAwaited,
};
let construct: (ref: BlockRef, policy: WaitingPolicy) => TtsLock;

/**
 * An unfair (barging) lock, the fastest of these locks under contention. A thread that finds it free takes it, even
 * past waiters. A waiter spins for a while, then sleeps. Each unlock wakes at most one waiter, and none while a woken
 * waiter competes.
 *
 * It has one owner at a time, and loses no wake-up. It has no order, so a waiter may starve. For fairness wrap the lock
 * (`@sluice/capacitor`). A cancelled wait takes nothing. When the owner dies and is reclaimed, the next agent to
 * acquire the lock gets `OwnerDiedError` (see `OwnedLock`).
 *
 * ```ts run
 * import { TtsLock } from '@sluice/classics';
 *
 * const lock = TtsLock.create({ name: 'hot' });
 * console.log(lock.run(() => lock.owned), lock.owned); // true false
 * ```
 */
export class TtsLock extends OwnedLock {
  /** The handle to post to another thread. Pass it to `TtsLock.from` there. */
  readonly handle: TtsLockHandle;
  readonly #entrance: BlockEntrance;
  // The fields of the uncontended paths. Numbers come from the line state if it has them: the engine knows that its
  // fields are integers.
  readonly #lineState: LineState;
  readonly #agent: AgentAddress;
  readonly #id: number;
  readonly #take: LockSteps['lockTts'];
  readonly #takeOnce: LockSteps['lockTts'];
  readonly #give: LockSteps['unlockTts'];

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
    this.#id = ref.context.id;
    this.#take = mayBlock() ? kernel.lockTts : refuseToBlock;
    this.#takeOnce = kernel.lockTts;
    this.#give = kernel.unlockTts;
    this.handle = handleTo('sluice.tts-lock', ref, TTS.kernel.id);
  }

  /**
   * Creates a free lock.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: LockOptions = {}): TtsLock {
    return construct(...createOwnedLock(TTS, options));
  }

  /**
   * Opens the lock that a handle refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live lock.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: TtsLockHandle, options: Pick<LockOptions, 'policy'> = {}): TtsLock {
    return construct(...openWithPolicy(TTS, handle, options));
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
   * @throws {DeadlockError} If a pending async wait of this agent may acquire the lock and cannot run.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  override lock(): void {
    const { block, tag } = this.#lineState;
    if (this.#take(block, tag, this.#id) !== TAKEN) super.lock();
  }

  /**
   * Acquires the lock if it becomes available within `timeoutMs` ms. With 0, the default, it does not wait. Returns
   * whether this agent owns the lock now. Barges as `lock` does.
   *
   * @throws The errors of `lock`; `MisuseError` and `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  override tryLock(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const { block, tag } = this.#lineState;
    return this.#takeOnce(block, tag, this.#id) === TAKEN || super.tryLock(timeoutMs);
  }

  /**
   * Frees the lock and wakes one waiter, which competes for it with new arrivals.
   *
   * @throws {MisuseError} If this agent does not own the lock.
   */
  override unlock(): void {
    const { block, tag } = this.#lineState;
    let given: HandOver | typeof SHUT;
    try {
      given = this.#give(block, tag, this.#agent, this.#id);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (given === IDLE) return;
    if (given === NEEDS_WALK) this.#entrance.waitLine.wake(given);
    else super.unlock();
  }

  /** Returns a snapshot: the owner, the waiters and the start of each wait, and whether an owner died. */
  inspect(): LockReport<'tts-lock'> {
    const { ref, waitLine } = this.#entrance;
    this.#entrance.checkThere();
    return reportLock('tts-lock', ref, ownerOrReceiver(ref.context.words, ref.address), waitLine.inspect());
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
export function ttsLockAt(ref: BlockRef, policy: WaitingPolicy): TtsLock {
  return construct(ref, policy);
}
