// What the mutex and the recursive mutex share: everything except the uncontended visit to the box office.
// The words, states and invariants of the box office are in kernel/mutex.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  asCorrupt,
  blockInLine,
  checkOptions,
  createOwnedLock,
  FLAT,
  FLAG_TURNS,
  FLAGS,
  HEALTH,
  IDLE,
  isElement,
  LOCK_LINE,
  mayBlock,
  mayRetry,
  MUTEX_TRAITS,
  NEEDS_WALK,
  NOT_SEEN,
  OFFICE,
  OwnTurn,
  PLACED_OPTIONS,
  PlacedLock,
  RACED,
  reserveStack,
  show,
  TAKEN,
  turnToTake,
  WAITING,
  wakeNext,
  type Account,
  type Kind,
  type LockLine,
  type LockOptions,
  type LockShape,
  type LockTraits,
  type LocalState,
  type Place,
  type Enqueue,
  type Visit,
  type ElementAddress,
  type HandOver,
} from '@sluice/core/internal';
import { IN_ORDER } from './kernel/layout.ts';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { reportMutex, type MutexReport } from './report.ts';
import { mannerAt } from './turn.ts';

/** The largest value of OFFICE's high half while no agent waits. */
const NOTICE = 1;

/**
 * In which order threads get a mutex.
 *
 * - `'turns'`: a running thread may lock the mutex again and again for half a millisecond, even past waiters. Then the
 *   longest waiter gets it. A waiter with w waiters before it waits at most w + 1 turns, plus the time of critical
 *   sections and wake-ups.
 * - `'fifo'`: each unlock hands the mutex to the longest waiter. That costs a wake-up per critical section.
 */
export type MutexOrder = 'turns' | 'fifo';

export interface MutexOptions extends LockOptions {
  /** In which order threads get the mutex. Default: `'turns'`. */
  readonly order?: MutexOrder | undefined;
}

export const MUTEX_OPTIONS: readonly string[] = [...PLACED_OPTIONS, 'order'];

/** What lies behind a mutex's line. `fill` writes it before another agent can find the mutex. */
export type MutexData = Omit<LockTraits, 'flags' | 'recorded'>;

/**
 * Creates a block with a free mutex; returns it with this agent's policy. `traits`: of a kind that has data beside its
 * mutex.
 */
export function createMutex(
  kind: Kind<MutexSteps>,
  options: MutexOptions,
  traits: MutexData = {},
): [Place, WaitingPolicy] {
  const { names = MUTEX_OPTIONS } = traits;
  checkOptions(options, names);
  const { order = 'turns' }: { readonly order?: unknown } = options;
  if (order !== 'turns' && order !== 'fifo')
    throw new TypeError(`order must be 'turns' or 'fifo': received ${show(order)}`);
  return createOwnedLock(kind, options, { ...traits, flags: order === 'turns' ? FLAG_TURNS : 0, names });
}

/** `undefined`: other code called the constructor, which throws next. */
function isInTurns({ context, address }: Partial<Place> = {}): boolean {
  return context !== undefined && address !== undefined && (context.words.get32(address + FLAGS) & FLAG_TURNS) !== 0;
}

export abstract class AnyMutex extends PlacedLock {
  // What contended calls need. Two steps are in fields of their own: with many threads the engine interprets these
  // calls, and each look-up costs.
  readonly #place: Place;
  readonly #kernel: MutexKernel;
  readonly #enqueue: MutexSteps['enqueueAtMutex'];
  readonly #passInOrder: MutexSteps['passInOrder'];
  readonly #localState: LocalState;
  readonly #policy: WaitingPolicy;
  readonly #account: Account;
  readonly #turn: OwnTurn | undefined;

  protected constructor(
    place: Place,
    policy: WaitingPolicy,
    kind: Kind<MutexSteps>,
    shape: Omit<LockShape, 'manner' | 'kind'>,
  ) {
    super(place, policy, { ...shape, manner: isInTurns(place) ? mannerAt(place, kind) : {}, kind });
    this.#place = place;
    this.#kernel = place.context.kernel as MutexKernel;
    this.#enqueue = this.#kernel.enqueueAtMutex;
    this.#passInOrder = this.#kernel.passInOrder;
    this.#localState = this.bouncer.localState;
    this.#policy = policy;
    this.#account = this.account();
    this.#turn = isInTurns(place) ? new OwnTurn(place, MUTEX_TRAITS) : undefined;
  }

  /** For a condition of this mutex. */
  get [LOCK_LINE](): LockLine {
    return {
      sort: 'mutex',
      place: this.#place,
      localState: this.#localState,
      account: this.#account,
      heedNotice: () => this.heedNotice(),
      unlockToWait: () => this.#unlockToWait(),
      ...this.depths,
    };
  }

  protected get depths(): Pick<LockLine, 'takeDepth' | 'addDepth'> {
    return FLAT;
  }

  /** With the order 'turns': the turn as this agent sees it while it runs. */
  protected get turn(): OwnTurn | undefined {
    return this.#turn;
  }

  protected override get kernel(): MutexKernel {
    return super.kernel as MutexKernel;
  }

  protected override visitOf(place: Place): Visit {
    const {
      context: { kernel, agent },
      address,
      tag,
    } = place;
    // Looked up at each visit: after the agent has left the arena, the kernel's steps throw.
    const steps = kernel as MutexKernel;
    let seen: number = NOT_SEEN;
    return (mayWait) => {
      const outcome = steps.enqueueAtMutex(address, tag, agent, mayWait, seen);
      seen = outcome === RACED ? turnToTake(place) : NOT_SEEN;
      return outcome;
    };
  }

  /**
   * A snapshot of the mutex: its owner, its waiters and since when each has waited, and its state after an owner's
   * death.
   */
  inspect(): MutexReport {
    this.checkThere();
    return reportMutex(this.place, this.bouncer.inspect());
  }

  /**
   * With the order 'fifo': waits in line until this agent owns the mutex. Returns HEALTH as it finds it then. WAITING:
   * this is no usual wait, or the order is another; call `enter`.
   */
  protected enterInOrder(): number {
    if (this.#turn !== undefined) return WAITING;
    reserveStack();
    const { context } = this.#place;
    const { block, tag } = this.#localState;
    let drawn: Enqueue;
    try {
      drawn = this.#enqueue(block, tag, context.agent, IN_ORDER, NOT_SEEN);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (drawn !== TAKEN && !(drawn > 0)) return WAITING;
    // Lost wake-up, waiter side: the wait links its element before it reads grant again. Pairs with `passInOrder`.
    if (blockInLine(context, this.#localState, drawn, this.#policy, Infinity, this.#account) !== TAKEN)
      this.checkThere();
    return context.words.load32(block + HEALTH);
  }

  protected override enter(): void {
    if (!mayBlock() || this.enterInOrder() === WAITING) super.enter();
  }

  /** Unlocks while agents wait or there is a notice. Throws as `unlock` does. */
  protected unlockContended(): void {
    // The next owner must be woken.
    reserveStack();
    if (this.#turn !== undefined || !this.#passOn()) super.unlock();
  }

  protected override exit(): void {
    const {
      context: { agent, id },
      address,
    } = this.#place;
    if (this.#turn === undefined) this.#handOver();
    else this.#turn.leave((ends) => this.#kernel.handOver(address, agent, id, ends));
  }

  protected override isAwaited(): boolean {
    return this.context.words.load32(this.#place.address + OFFICE + 4) >>> 0 > NOTICE;
  }

  #unlockToWait(): void {
    this.#turn?.end();
    if (this.#passOn()) return;
    this.health.beforeUnlock();
    this.#handOver();
  }

  /** The usual contended unlock without a turn. False: nothing was changed. */
  #passOn(): boolean {
    const { context } = this.#place;
    const { block, tag } = this.#localState;
    let passed: ReturnType<MutexSteps['passInOrder']>;
    try {
      passed = this.#passInOrder(block, tag, context.agent, context.id);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (passed > 0 || passed === NEEDS_WALK) wakeNext(context, block, this.#policy, passed);
    return passed > 0 || passed === NEEDS_WALK || passed === IDLE;
  }

  /** To the longest waiter; frees the mutex if no agent waits. */
  #handOver(): void {
    const {
      context,
      context: { agent, id },
      address,
    } = this.#place;
    let passed: HandOver | ElementAddress;
    let tries = 0;
    do passed = this.#kernel.handOver(address, agent, id, 1);
    while (passed === RACED && mayRetry(++tries, this));
    if (isElement(passed)) context.notify(passed);
    else this.bouncer.wake(passed);
  }
}
