// A mutex on the stage of a death: the living agent's tasks there, and the victim's own instance.

import { ShadowHolders, type ShadowSide } from '../../../core/test/support/shadow-holders.ts';
import type { Operation, Stage } from '../../../core/test/support/crash-stage.ts';
import type { Agent } from '../../../core/test/support/crash-world.ts';
import { Mutex, RecursiveMutex, type MutexOrder } from '../../src/index.ts';
import './kinds.ts';

export interface MutexScene<Kind extends Mutex | RecursiveMutex = Mutex> {
  readonly stage: Stage;
  readonly shadows: ShadowHolders;
  /** Where the living agent's tasks come in. */
  readonly side: ShadowSide;
  /** The victim's own instance. */
  readonly theirs: Kind;
  /** Any other agent's. */
  readonly open: (agent: Agent) => Kind;
}

/** The order of the mutex of the scene that is prepared. */
let order: MutexOrder = 'turns';

/** The operations, at mutexes with that order. */
export function inOrder(chosen: MutexOrder, operations: readonly Operation[]): Operation[] {
  return operations.map((operation) => ({
    ...operation,
    name: `${operation.name}, '${chosen}'`,
    prepare: (stage) => {
      order = chosen;
      return operation.prepare(stage);
    },
  }));
}

type Prepare<Scene> = (scene: Scene) => (() => unknown) | Promise<() => unknown>;
type World = Operation['world'];

export function mutexScene(stage: Stage): MutexScene {
  const lock = Mutex.create({ arena: stage.living.arena, name: 'mutex', order });
  return sceneOf(stage, lock, (agent) => Mutex.from(stage.world.handle(lock.handle, agent)));
}

export function deepScene(stage: Stage): MutexScene<RecursiveMutex> {
  const lock = RecursiveMutex.create({ arena: stage.living.arena, name: 'deep', order });
  return sceneOf(stage, lock, (agent) => RecursiveMutex.from(stage.world.handle(lock.handle, agent)));
}

function sceneOf<Kind extends Mutex | RecursiveMutex>(stage: Stage, lock: Kind, open: (agent: Agent) => Kind): MutexScene<Kind> {
  const side = { lock, shared: false };
  const shadows = new ShadowHolders(stage.living.arena, lock.handle.address, lock.handle.address, [side]);
  stage.witnesses.push(shadows);
  return { stage, shadows, side, theirs: open(stage.victim), open };
}

export function atMutex(name: string, prepare: Prepare<MutexScene>, world: World = {}): Operation {
  return { name, world, prepare: (stage) => prepare(mutexScene(stage)) };
}

export function atDeep(name: string, prepare: Prepare<MutexScene<RecursiveMutex>>, world: World = {}): Operation {
  return { name, world, prepare: (stage) => prepare(deepScene(stage)) };
}
