// A read-write lock for crash injection: the tasks of a living agent at it, and the victim's own instance.

import { BLOCK_LINE } from '../../../core/src/kernel/layout.ts';
import type { Operation, Stage } from '../../../core/test/support/crash-stage.ts';
import type { Agent } from '../../../core/test/support/crash-world.ts';
import { ShadowHolders, type ShadowSide } from '../../../core/test/support/shadow-holders.ts';
import { RwLock, type RwLockOrder } from '../../src/index.ts';
import './kinds.ts';

export interface RwScene {
  readonly stage: Stage;
  readonly shadows: ShadowHolders;
  /** The sides that the living agent's tasks lock. */
  readonly reader: ShadowSide;
  readonly writer: ShadowSide;
  /** The victim's own instance. */
  readonly theirs: RwLock;
  /** An instance of any other agent. */
  readonly open: (agent: Agent) => RwLock;
}

let inUse: RwLockOrder = 'turns';

/** Sets the order of the locks that later scenes of this file create. */
export function useOrder(order: RwLockOrder): void {
  inUse = order;
}

type Prepare<Scene> = (scene: Scene) => (() => unknown) | Promise<() => unknown>;

export function rwScene(stage: Stage): RwScene {
  const lock = RwLock.create({ arena: stage.living.arena, name: 'table', order: inUse });
  const open = (agent: Agent): RwLock => RwLock.from(stage.world.handle(lock.handle, agent));
  const { address } = lock.handle;
  const [reader, writer] = [
    { lock: lock.reader, shared: true },
    { lock: lock.writer, shared: false },
  ];
  const shadows = new ShadowHolders(stage.living.arena, address, address + BLOCK_LINE, [writer, reader]);
  stage.witnesses.push(shadows);
  return { stage, shadows, reader, writer, theirs: open(stage.victim), open };
}

export function atRw(name: string, prepare: Prepare<RwScene>, world: Operation['world'] = {}): Operation {
  return { name, world, prepare: (stage) => prepare(rwScene(stage)) };
}
