// What the mutex and the recursive mutex share: everything except the uncontended visit to the box office.
// The words, states and invariants of the box office are in kernel/mutex.ts.

import type { WaitingPolicy } from '@sluice/core';
import {
  checkOptions,
  createOwnedLock,
  FLAG_TURNS,
  FLAGS,
  isElement,
  mayRetry,
  NEEDS_WALK,
  NOT_SEEN,
  OFFICE,
  OwnTurn,
  PLACED_OPTIONS,
  PlacedLock,
  RACED,
  show,
  TURN,
  type Kind,
  type LockOptions,
  type LockShape,
  type Place,
  type Visit,
  type ElementAddress,
  type HandOver,
} from '@sluice/core/internal';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { reportMutex, type MutexReport } from './report.ts';
import { patrolAt, TURN_TRAITS } from './turn.ts';

/** The high half of OFFICE when no agent waits, at most. */
const NOTICE = 1;

/**
 * In which order threads get a mutex.
 *
 * - `'turns'`: a thread that runs may lock the mutex again and again for half a millisecond, also past waiters. Then the longest waiter
 *   gets it. A waiter with w waiters before it waits at most w + 1 turns, plus the time of critical sections and wake-ups.
 * - `'fifo'`: each unlock hands the mutex to the longest waiter. That costs a wake-up per critical section.
 */
export type MutexOrder = 'turns' | 'fifo';

export interface MutexOptions extends LockOptions {
  /** In which order threads get the mutex. Default: `'turns'`. */
  readonly order?: MutexOrder | undefined;
}

const OPTIONS: readonly string[] = [...PLACED_OPTIONS, 'order'];

/** Creates a block with a free mutex; returns it with this agent's policy. */
export function createMutex(kind: Kind<MutexSteps>, options: MutexOptions): [Place, WaitingPolicy] {
  checkOptions(options, OPTIONS);
  const { order = 'turns' }: { readonly order?: unknown } = options;
  if (order !== 'turns' && order !== 'fifo') throw new TypeError(`order must be 'turns' or 'fifo': received ${show(order)}`);
  return createOwnedLock(kind, options, { flags: order === 'turns' ? FLAG_TURNS : 0, names: OPTIONS });
}

/** `undefined`: the constructor was called by other code, and refuses next. */
function isInTurns({ context, address }: Partial<Place> = {}): boolean {
  return context !== undefined && address !== undefined && (context.words.get32(address + FLAGS) & FLAG_TURNS) !== 0;
}

export abstract class AnyMutex extends PlacedLock {
  // What the contended unlock needs.
  readonly #place: Place;
  readonly #kernel: MutexKernel;
  readonly #turn: OwnTurn | undefined;

  protected constructor(place: Place, policy: WaitingPolicy, kind: Kind<MutexSteps>, shape: Omit<LockShape, 'manner' | 'kind'>) {
    super(place, policy, { ...shape, manner: isInTurns(place) ? { patrol: patrolAt(place) } : {}, kind });
    this.#place = place;
    this.#kernel = place.context.kernel as MutexKernel;
    this.#turn = isInTurns(place) ? new OwnTurn(place, TURN_TRAITS) : undefined;
  }

  /** With the order 'turns': the turn as this agent sees it while it runs. */
  protected get turn(): OwnTurn | undefined {
    return this.#turn;
  }

  protected override get kernel(): MutexKernel {
    return super.kernel as MutexKernel;
  }

  protected override visitOf({ context: { kernel, agent, words }, address, tag }: Place): Visit {
    // Looked up at each visit: after the agent has left the arena, the kernel's steps throw.
    const steps = kernel as MutexKernel;
    let seen: number = NOT_SEEN;
    return (mayWait) => {
      const outcome = steps.enqueueAtMutex(address, tag, agent, mayWait, seen);
      seen = outcome === RACED ? words.get32(address + TURN) : NOT_SEEN;
      return outcome;
    };
  }

  /** A snapshot of the mutex: its owner, its waiters and since when each has waited, and its state after an owner's death. */
  inspect(): MutexReport {
    this.checkThere();
    return reportMutex(this.place, this.bouncer.inspect());
  }

  protected override exit(): void {
    const { context: { agent, id }, address } = this.#place;
    let passed: HandOver | ElementAddress;
    let tries = 0;
    const isOver = this.#turn?.isOver() === true;
    do passed = isOver ? this.#kernel.endOwnTurn(address, agent, id) : this.#kernel.handOver(address, agent, id);
    while (passed === RACED && mayRetry(++tries));
    if (isElement(passed)) this.context.notify(passed);
    else if (this.#turn === undefined) this.bouncer.wake(passed);
    else if (passed === NEEDS_WALK) this.context.finishWalk();
  }

  protected override isAwaited(): boolean {
    return this.context.words.load32(this.#place.address + OFFICE + 4) >>> 0 > NOTICE;
  }
}
