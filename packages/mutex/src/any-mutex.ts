// The common base of the mutex and the recursive mutex: everything except the uncontended visit to the box office. The
// words, states and invariants of the box office are in kernel/mutex.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkOptions,
  createOwnedLock,
  FLAT,
  FLAG_TURNS,
  FLAGS,
  isAwaited,
  LOCK_LINE,
  mayBlock,
  NOT_SEEN,
  PLACED_OPTIONS,
  PlacedLock,
  RACED,
  reserveStack,
  show,
  turnToTake,
  WAITING,
  type Kind,
  type LockLine,
  type LockOptions,
  type LockShape,
  type LockTraits,
  type Place,
  type Visit,
} from '@sluice/core/internal';
import type { ConditionKernel } from './condition/kinds.ts';
import { InOrder } from './in-order.ts';
import { InTurns } from './in-turns.ts';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { reportMutex, type MutexReport } from './report.ts';
import { turnBehaviour } from './turn.ts';
import type { WayIn } from './way-in.ts';

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

/** Data behind a mutex's line. `fill` writes it before another agent can find the mutex. */
export type MutexData = Omit<LockTraits, 'flags' | 'recorded'>;

/**
 * Creates a block with a free mutex. Returns its place and this agent's policy. `traits` is for a kind that keeps data
 * in the same block.
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

/**
 * Returns whether the mutex has the order 'turns'. The argument is `undefined` if foreign code called the constructor,
 * which then throws.
 */
function isInTurns({ context, address }: Partial<Place> = {}): boolean {
  return context !== undefined && address !== undefined && (context.words.get32(address + FLAGS) & FLAG_TURNS) !== 0;
}

export abstract class AnyMutex extends PlacedLock {
  readonly #place: Place;
  readonly #way: WayIn;

  protected constructor(
    place: Place,
    policy: WaitingPolicy,
    kind: Kind<MutexSteps>,
    shape: Omit<LockShape, 'behaviour' | 'kind'>,
  ) {
    const inTurns = isInTurns(place);
    super(place, policy, { ...shape, behaviour: inTurns ? turnBehaviour(place, kind) : {}, kind });
    this.#place = place;
    const parts = {
      place,
      policy,
      bouncer: this.bouncer,
      health: this.health,
      account: this.account(),
      checkThere: () => this.checkThere(),
    };
    this.#way = inTurns ? new InTurns(parts) : new InOrder(parts);
  }

  /** The line of this mutex, for its conditions. */
  get [LOCK_LINE](): LockLine {
    const {
      context: { kernel },
      address,
      tag,
    } = this.#place;
    return {
      place: this.#place,
      // A condition's kernel has the step. An agent that notifies has loaded it.
      move: (from, agent) => (kernel as ConditionKernel).moveToMutex(from, agent, address, tag),
      localState: this.bouncer.localState,
      account: this.account(),
      heedNotice: () => this.heedNotice(),
      unlockToWait: () => this.#way.unlockToWait(),
      ...this.depths,
    };
  }

  protected get depths(): Pick<LockLine, 'takeDepth' | 'addDepth'> {
    return FLAT;
  }

  /** The part that enters the mutex while it is in use, and leaves it. */
  protected get way(): WayIn {
    return this.#way;
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
    // The step is looked up at each visit: after the agent has left the arena, the kernel's steps throw.
    const steps = kernel as MutexKernel;
    let seen: number = NOT_SEEN;
    return (mayWait) => {
      const outcome = steps.enqueueAtMutex(address, tag, agent, mayWait, seen);
      seen = outcome === RACED ? turnToTake(place) : NOT_SEEN;
      return outcome;
    };
  }

  /**
   * Returns a snapshot of the mutex: its owner, its waiters, the start of each wait, and the state of the mutex after
   * an owner's death.
   */
  inspect(): MutexReport {
    this.checkThere();
    return reportMutex(this.place, this.bouncer.inspect());
  }

  protected override enter(): void {
    if (!mayBlock() || this.#way.enter() === WAITING) super.enter();
  }

  /**
   * Unlocks a mutex that has waiters or a notice.
   *
   * @throws The errors of `unlock`.
   */
  protected unlockContended(): void {
    // A stack overflow after the mutex is passed on would leave the next owner asleep.
    reserveStack();
    if (!this.#way.passOn()) super.unlock();
  }

  protected override exit(): void {
    this.#way.leave();
  }

  protected override isAwaited(): boolean {
    return isAwaited(this.context.words, this.#place.address);
  }
}
