// Primitives with a box office on the stage of a death: the living agent's shadows there, and the victim's own instance.

import { AutoResetEvent } from '../../../auto-reset-event/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../mutex/src/index.ts';
import { RwLock } from '../../../rw-lock/src/index.ts';
import '../../../mutex/test/support/kinds.ts';
import type { OwnerDiedError } from '../../src/index.ts';
import { BLOCK_LINE } from '../../src/kernel/layout.ts';
import { EventShadows } from './event-shadows.ts';
import { ShadowHolders, type ShadowSide } from './shadow-holders.ts';
import { Death, type Meanwhile } from './crash.ts';
import type { Operation, Stage } from './crash-stage.ts';
import type { Agent } from './crash-world.ts';

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

export interface RwScene {
  readonly stage: Stage;
  readonly shadows: ShadowHolders;
  readonly reader: ShadowSide;
  readonly writer: ShadowSide;
  readonly theirs: RwLock;
  readonly open: (agent: Agent) => RwLock;
}

export interface EventScene {
  readonly stage: Stage;
  readonly shadows: EventShadows;
  readonly theirs: AutoResetEvent;
  /** The victim signals. */
  readonly signal: () => void;
}

type Prepare<Scene> = (scene: Scene) => (() => unknown) | Promise<() => unknown>;
type World = Operation['world'];

export function mutexScene(stage: Stage): MutexScene {
  const lock = Mutex.create({ arena: stage.living.arena, name: 'mutex' });
  const open = (agent: Agent): Mutex => Mutex.from(stage.world.handle(lock.handle, agent));
  const side = { lock, shared: false };
  const shadows = new ShadowHolders(stage.living.arena, lock.handle.address, lock.handle.address, [side]);
  stage.witnesses.push(shadows);
  return { stage, shadows, side, theirs: open(stage.victim), open };
}

export function deepScene(stage: Stage): MutexScene<RecursiveMutex> {
  const lock = RecursiveMutex.create({ arena: stage.living.arena, name: 'deep' });
  const open = (agent: Agent): RecursiveMutex => RecursiveMutex.from(stage.world.handle(lock.handle, agent));
  const side = { lock, shared: false };
  const shadows = new ShadowHolders(stage.living.arena, lock.handle.address, lock.handle.address, [side]);
  stage.witnesses.push(shadows);
  return { stage, shadows, side, theirs: open(stage.victim), open };
}

export function rwScene(stage: Stage): RwScene {
  const lock = RwLock.create({ arena: stage.living.arena, name: 'table' });
  const open = (agent: Agent): RwLock => RwLock.from(stage.world.handle(lock.handle, agent));
  const { address } = lock.handle;
  const [reader, writer] = [{ lock: lock.reader, shared: true }, { lock: lock.writer, shared: false }];
  const shadows = new ShadowHolders(stage.living.arena, address, address + BLOCK_LINE, [writer, reader]);
  stage.witnesses.push(shadows);
  return { stage, shadows, reader, writer, theirs: open(stage.victim), open };
}

export function eventScene(stage: Stage): EventScene {
  const event = AutoResetEvent.create({ arena: stage.living.arena, name: 'event' });
  const shadows = new EventShadows(stage.living.arena, event);
  stage.witnesses.push(shadows);
  const theirs = AutoResetEvent.from(stage.world.handle(event.handle, stage.victim));
  const signal = (): void => {
    shadows.signals += 1;
    theirs.signal();
  };
  return { stage, shadows, theirs, signal };
}

export function atMutex(name: string, prepare: Prepare<MutexScene>, world: World = {}): Operation {
  return { name, world, prepare: (stage) => prepare(mutexScene(stage)) };
}

export function atDeep(name: string, prepare: Prepare<MutexScene<RecursiveMutex>>, world: World = {}): Operation {
  return { name, world, prepare: (stage) => prepare(deepScene(stage)) };
}

export function atRw(name: string, prepare: Prepare<RwScene>, world: World = {}): Operation {
  return { name, world, prepare: (stage) => prepare(rwScene(stage)) };
}

export function atEvent(name: string, prepare: Prepare<EventScene>, world: World = {}): Operation {
  return { name, world, prepare: (stage) => prepare(eventScene(stage)) };
}

/** One with so many deeds that to let two agents die in it takes too long. */
export function large(operation: Operation): Operation {
  return { ...operation, large: true };
}

/**
 * The victim gives up in the middle of what the living does: just before its step `walk`, when the permit is there and the
 * waiter has not been told, or another `step`.
 */
export function leaveInTheMiddle({ living }: Stage, leave: () => void, act: () => void, step = 'walk'): void {
  let death: Death | undefined;
  living.life.before.set(step, () => {
    try {
      leave();
    } catch (failure) {
      if (!(failure instanceof Death)) throw failure;
      death = failure;
    }
  });
  act();
  if (death !== undefined) throw death;
}

/** What the living do in the victim's next sleeps. */
export function meanwhile(stage: Stage, ...actions: readonly Meanwhile[]): void {
  stage.life.meanwhile.push(...actions);
}

/** An agent has died that held the lock, and was recovered. */
export async function orphan(stage: Stage, lock: (agent: Agent) => { lock(): void }): Promise<void> {
  const owner = stage.world.join();
  lock(owner).lock();
  owner.life.die();
  stage.living.arena.reclaim(owner.context.id);
  await stage.settle();
}

/** The guard of an heir, `undefined` if it was refused. */
export function guardOf(call: () => unknown): OwnerDiedError['guard'] {
  try {
    call();
  } catch (failure) {
    if (typeof failure === 'object' && failure !== null && 'guard' in failure) return (failure as OwnerDiedError).guard;
    throw failure;
  }
  throw new Error('No notice came.');
}
