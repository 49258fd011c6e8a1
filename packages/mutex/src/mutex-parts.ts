// The parts that a mutex, a recursive mutex and the writers of a seq-lock share: everything except the uncontended
// visit to the box office. The words, states and invariants of the box office are in kernel/mutex.ts.

import type { WaitingPolicy } from '@sluice/core';
import { FLAG_TURNS, FLAGS, NOT_SEEN, RACED, WAITING } from '@sluice/core/format';
import {
  isAwaited,
  mayBlock,
  BlockEntrance,
  turnToTake,
  type Kind,
  type LockLine,
  type LockShape,
  type BlockRef,
  type EnterOrEnqueue,
} from '@sluice/core/internal';
import type { ConditionKernel } from './condition/kinds.ts';
import { InOrder } from './in-order.ts';
import { InTurns } from './in-turns.ts';
import type { MutexKernel, MutexSteps } from './kinds.ts';
import { reportMutex, type MutexReport } from './report.ts';
import { turnBehaviour } from './turn-traits.ts';
import type { ContendedPath } from './contended-path.ts';

/**
 * Returns whether the mutex has the order 'turns'. The argument is `undefined` if foreign code called the constructor of
 * the mutex. `BlockEntrance` then throws.
 */
function isInTurns({ context, address }: Partial<BlockRef> = {}): boolean {
  return context !== undefined && address !== undefined && (context.words.get32(address + FLAGS) & FLAG_TURNS) !== 0;
}

function visitOf(ref: BlockRef): EnterOrEnqueue {
  const {
    context: { kernel, agent },
    address,
    tag,
  } = ref;
  // The step is looked up at each visit: after the agent has left the arena, the kernel's steps throw.
  const steps = kernel as MutexKernel;
  let turnSeen: number = NOT_SEEN;
  return (mayWait) => {
    const outcome = steps.enqueueAtMutex(address, tag, agent, mayWait, turnSeen);
    turnSeen = outcome === RACED ? turnToTake(ref) : NOT_SEEN;
    return outcome;
  };
}

export class MutexParts {
  readonly entrance: BlockEntrance;
  /** The part that enters the mutex while it is in use, and leaves it. */
  readonly way: ContendedPath;

  constructor(
    ref: BlockRef,
    policy: WaitingPolicy,
    kind: Kind<MutexSteps>,
    names: Pick<LockShape, 'className' | 'what'>,
  ) {
    const inTurns = isInTurns(ref);
    this.entrance = new BlockEntrance(ref, policy, {
      ...names,
      kind,
      behaviour: inTurns ? turnBehaviour(ref, kind) : {},
      enterOrEnqueue: visitOf,
      exit: () => this.way.leave(),
      enterShorter: () => mayBlock() && this.way.enter() !== WAITING,
      isAwaited,
    });
    this.way = inTurns ? new InTurns(this.entrance, policy) : new InOrder(this.entrance, policy);
  }

  get kernel(): MutexKernel {
    return this.entrance.context.kernel as MutexKernel;
  }

  /** Returns a snapshot of the mutex. Throws `MisuseError` if it was freed. */
  report(): MutexReport {
    this.entrance.checkThere();
    return reportMutex(this.entrance.ref, this.entrance.waitLine.inspect());
  }

  /** Returns the line of the mutex, for its conditions. */
  lineWith(own: Pick<LockLine, 'heedNotice' | 'takeDepth' | 'addDepth'>): LockLine {
    const { ref, waitLine, errors } = this.entrance;
    return {
      ...own,
      ref,
      // A condition's kernel has the step. An agent that notifies has loaded it.
      move: (from, agent) => (ref.context.kernel as ConditionKernel).moveToMutex(from, agent, ref.address, ref.tag),
      lineState: waitLine.lineState,
      errors,
      unlockToWait: () => this.way.unlockToWait(),
      endTurn: () => this.way.endTurn(),
    };
  }
}
