// A lock of any kind that a capacitor wraps, on the stage of a death: the living agent's shadows there, and the victim's own instance.

import { LifoLock, McsLock, ReciprocatingLock, TicketLock, TtsLock } from '../../src/index.ts';
import './kinds.ts';
import type { Arena } from '../../../core/src/index.ts';
import { ShadowHolders, type ShadowSide, type LockTraits } from '../../../core/test/support/shadow-holders.ts';
import { leaveInTheMiddle } from '../../../core/test/support/crash-offices.ts';
import type { Operation, Stage } from '../../../core/test/support/crash-stage.ts';
import type { Agent, World } from '../../../core/test/support/crash-world.ts';

export type InnerLock = TtsLock | TicketLock | McsLock | LifoLock | ReciprocatingLock;

export interface LockKind {
  readonly name: string;
  readonly traits: LockTraits;
  /** The step with which a lock gets under way to the next one, and the step before which that one has not been told. */
  readonly onItsWay: string;
  /** The step with which a waiter cancels. */
  readonly cancels: string;
  readonly create: (arena: Arena, name?: string) => InnerLock;
  readonly open: (lock: InnerLock, agent: Agent, world: World) => InnerLock;
}

/** What every class of locks has. */
interface LockClass<Lock extends InnerLock> {
  create(options: { arena: Arena; name?: string | undefined }): Lock;
  from(handle: Lock['handle']): Lock;
}

function kind<Lock extends InnerLock>(name: string, of: LockClass<Lock>, [onItsWay, cancels]: readonly [string, string], traits: LockTraits): LockKind {
  return {
    name,
    traits,
    onItsWay,
    cancels,
    create: (arena, lockName) => of.create({ arena, name: lockName }),
    open: (lock, agent, world) => of.from(world.handle<Lock['handle']>(lock.handle, agent)),
  };
}

const QUEUED = ['handOverQueued', 'cancelQueuedWait'] as const;

export const LOCK_KINDS: readonly LockKind[] = [
  kind('TTS lock', TtsLock, ['walk', 'cancelTtsWait'], { unordered: true }),
  kind('ticket lock', TicketLock, ['walk', 'leave'], { permits: 1n }),
  kind('MCS lock', McsLock, QUEUED, {}),
  kind('LIFO lock', LifoLock, QUEUED, { unordered: true }),
  kind('reciprocating lock', ReciprocatingLock, QUEUED, { unordered: true }),
];

export interface LockScene {
  readonly stage: Stage;
  readonly shadows: ShadowHolders;
  /** Where the living agent's tasks come in. */
  readonly side: ShadowSide;
  /** The victim's own instance. */
  readonly theirs: InnerLock;
  /** Any other agent's. */
  readonly open: (agent: Agent) => InnerLock;
  /** The victim gives up when the lock is on its way. */
  readonly leaveOnItsWay: (leave: () => void, act: () => void) => void;
}

export function lockScene(stage: Stage, { name, traits, onItsWay, create, open }: LockKind): LockScene {
  const lock = create(stage.living.arena, name);
  const openFor = (agent: Agent): InnerLock => open(lock, agent, stage.world);
  const side = { lock, shared: false };
  const { address } = lock.handle;
  const shadows = new ShadowHolders(stage.living.arena, address, address, [side], traits);
  stage.witnesses.push(shadows);
  const leaveOnItsWay = (leave: () => void, act: () => void): void => leaveInTheMiddle(stage, leave, act, onItsWay);
  return { stage, shadows, side, theirs: openFor(stage.victim), open: openFor, leaveOnItsWay };
}

type Prepare = (scene: LockScene) => (() => unknown) | Promise<() => unknown>;

/** `what`: with `@` where the name of the lock stands. */
export function atLock(of: LockKind, what: string, prepare: Prepare, world: Operation['world'] = {}): Operation {
  return { name: what.replace('@', `a ${of.name}`), world, prepare: (stage) => prepare(lockScene(stage, of)) };
}
