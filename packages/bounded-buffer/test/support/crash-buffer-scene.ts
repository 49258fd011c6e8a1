// A bounded buffer in the scene of a death: the living agent's tasks, the victim's own instance, and agents that have a
// side's lock for a while.

import { BoundedBuffer } from '../../src/index.ts';
import { BLOCK_TAG } from '../../../core/src/kernel/layout.ts';
import { IDLE, TAKEN } from '../../../core/src/kernel/states.ts';
import { BUFFER } from '../../src/sides/kinds.ts';
import './arena-kinds.ts';
import { sidesOf } from './buffer-invariants.ts';
import { BufferShadows, type BufferKind } from './buffer-shadows.ts';
import type { Operation, Stage } from '../../../core/test/support/crash-stage.ts';
import type { Agent } from '../../../core/test/support/crash-world.ts';
import { asLine } from '../../../core/src/kernel/addresses.ts';

export type SideName = 'producers' | 'consumers';

export interface BufferScene {
  readonly stage: Stage;
  readonly shadows: BufferShadows;
  /** The victim's own instance. */
  readonly theirs: BoundedBuffer<unknown>;
}

/** A buffer of that many numbers. */
export function numbers(capacity: number): BufferKind {
  return {
    make: (arena) => BoundedBuffer.create({ codec: 'int32', capacity, arena, name: 'buffer' }),
    wrap: { of: (value) => value, from: Number },
    capacity,
  };
}

/** A buffer of texts that take 2 to 4 units of 10. */
export const TEXTS: BufferKind = {
  make: (arena) => BoundedBuffer.create({ codec: 'json', ringBytes: 40, arena, name: 'buffer' }),
  wrap: {
    of: (value) => `${value}${'.'.repeat(4 * (value % 3))}`.slice(0, 10),
    from: (text) => parseInt(String(text), 10),
  },
};

export function bufferScene(stage: Stage, kind: BufferKind): BufferScene {
  const shadows = new BufferShadows(stage, kind);
  stage.witnesses.push(shadows);
  const theirs = BoundedBuffer.from(stage.world.handle(shadows.buffer.handle, stage.victim));
  return { stage, shadows, theirs };
}

/** Takes the lock of a side for an agent, as one that writes or reads. The result releases it. */
export function hold(agent: Agent, shadows: BufferShadows, name: SideName): () => void {
  const { words, agent: record } = agent.context;
  const { kernel } = agent.context.load(BUFFER);
  const side = sidesOf(shadows.address)[name];
  if (kernel.enqueueAtSideLock(asLine(side), words.load32(side + BLOCK_TAG), record, 0) !== TAKEN)
    throw new Error('the lock is not free');
  return () => {
    if (kernel.commitSide(asLine(side), record, 0, 0, 0, 0) !== IDLE) agent.context.finishWalk();
  };
}

/** As `hold`, for an agent of its own. */
export function holdByAnother({ stage, shadows }: BufferScene, name: SideName): () => void {
  const agent = stage.world.join();
  stage.bystanders.push(agent.context.id);
  return shadows.holds(hold(agent, shadows, name));
}

type Prepare = (scene: BufferScene) => (() => unknown) | Promise<() => unknown>;

/** An operation at a buffer of `capacity` numbers. */
export function at(capacity: number, name: string, prepare: Prepare, more: Partial<Operation> = {}): Operation {
  return { ...more, name, prepare: (stage) => prepare(bufferScene(stage, numbers(capacity))) };
}

/** An operation at a buffer of texts. */
export function atTexts(name: string, prepare: Prepare, more: Partial<Operation> = {}): Operation {
  return { ...more, name, prepare: (stage) => prepare(bufferScene(stage, TEXTS)) };
}
