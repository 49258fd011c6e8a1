// An owned lock for crash injection, with the tasks of a living agent and the victim's own instance.

import { leaveInTheMiddle } from '../crash-offices.ts';
import type { Operation, Stage } from '../crash-stage.ts';
import type { Agent } from '../crash-world.ts';
import { ShadowHolders, type LockTraits, type ShadowSide } from '../shadow-holders.ts';
import type { OwnedLockKind, TestedLock } from './kind.ts';

export interface CrashKind<Lock extends TestedLock = TestedLock> {
  readonly kind: OwnedLockKind<Lock>;
  /** The name of the lock in the names of operations, such as 'a ticket lock'. */
  readonly name: string;
  /** The step that tells an admitted waiter. Before it, the waiter does not know. */
  readonly tells: string;
  /** The step with which a waiter cancels. */
  readonly cancels: string;
  readonly traits?: LockTraits;
}

export interface LockScene<Lock extends TestedLock = TestedLock> {
  readonly stage: Stage;
  readonly shadows: ShadowHolders;
  /** The side that the living agent's tasks lock. */
  readonly side: ShadowSide;
  /** The victim's own instance. */
  readonly theirs: Lock;
  /** Opens the lock as another agent. */
  readonly open: (agent: Agent) => Lock;
  /** The victim cancels after `act` has admitted it, before it is told. */
  readonly leaveBeforeTold: (leave: () => void, act: () => void) => void;
}

export function lockScene<Lock extends TestedLock>(
  stage: Stage,
  { kind, name, tells, traits = {} }: CrashKind<Lock>,
): LockScene<Lock> {
  const lock = kind.create({ arena: stage.living.arena, name });
  const open = (agent: Agent): Lock => kind.from(stage.world.handle(lock.handle, agent));
  const side = { lock, shared: false };
  const { address } = lock.handle;
  const shadows = new ShadowHolders(stage.living.arena, address, address, [side], traits);
  stage.witnesses.push(shadows);
  const leaveBeforeTold = (leave: () => void, act: () => void): void => leaveInTheMiddle(stage, leave, act, tells);
  return { stage, shadows, side, theirs: open(stage.victim), open, leaveBeforeTold };
}

type Prepare<Lock extends TestedLock> = (scene: LockScene<Lock>) => (() => unknown) | Promise<() => unknown>;

/** Returns an operation at the lock. In `what`, `@` stands for the lock's name. */
export function atLock<Lock extends TestedLock>(
  of: CrashKind<Lock>,
  what: string,
  prepare: Prepare<Lock>,
  world: Operation['world'] = {},
): Operation {
  return { name: what.replace('@', of.name), world, prepare: (stage) => prepare(lockScene(stage, of)) };
}

export function owns({ shadows, side, theirs }: LockScene): void {
  theirs.lock();
  shadows.come(side, 2);
}
