// Primitives with a box office on the stage of a death: the living agent's guests there, and the victim's own instance.

import { AutoResetEvent } from '../../../auto-reset-event/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../mutex/src/index.ts';
import { RwLock } from '../../../rw-lock/src/index.ts';
import type { OwnerDiedError } from '../../src/index.ts';
import { BLOCK_LINE } from '../../src/kernel/layout.ts';
import { EventGuests } from './event-guests.ts';
import { Guests, type GuestSide } from './guests.ts';
import { Death, type Meanwhile } from './mortal.ts';
import type { Operation, Stage } from './mortal-stage.ts';
import type { Agent } from './mortal-world.ts';

export interface MutexScene<Kind extends Mutex | RecursiveMutex = Mutex> {
  readonly stage: Stage;
  readonly guests: Guests;
  /** Where the living agent's tasks come in. */
  readonly side: GuestSide;
  /** The victim's own instance. */
  readonly theirs: Kind;
  /** Any other agent's. */
  readonly open: (agent: Agent) => Kind;
}

export interface RwScene {
  readonly stage: Stage;
  readonly guests: Guests;
  readonly reader: GuestSide;
  readonly writer: GuestSide;
  readonly theirs: RwLock;
  readonly open: (agent: Agent) => RwLock;
}

export interface EventScene {
  readonly stage: Stage;
  readonly guests: EventGuests;
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
  const guests = new Guests(stage.living.arena, lock.handle.address, lock.handle.address, [side]);
  stage.witnesses.push(guests);
  return { stage, guests, side, theirs: open(stage.victim), open };
}

export function deepScene(stage: Stage): MutexScene<RecursiveMutex> {
  const lock = RecursiveMutex.create({ arena: stage.living.arena, name: 'deep' });
  const open = (agent: Agent): RecursiveMutex => RecursiveMutex.from(stage.world.handle(lock.handle, agent));
  const side = { lock, shared: false };
  const guests = new Guests(stage.living.arena, lock.handle.address, lock.handle.address, [side]);
  stage.witnesses.push(guests);
  return { stage, guests, side, theirs: open(stage.victim), open };
}

export function rwScene(stage: Stage): RwScene {
  const lock = RwLock.create({ arena: stage.living.arena, name: 'table' });
  const open = (agent: Agent): RwLock => RwLock.from(stage.world.handle(lock.handle, agent));
  const { address } = lock.handle;
  const [reader, writer] = [{ lock: lock.reader, shared: true }, { lock: lock.writer, shared: false }];
  const guests = new Guests(stage.living.arena, address, address + BLOCK_LINE, [writer, reader]);
  stage.witnesses.push(guests);
  return { stage, guests, reader, writer, theirs: open(stage.victim), open };
}

export function eventScene(stage: Stage): EventScene {
  const event = AutoResetEvent.create({ arena: stage.living.arena, name: 'event' });
  const guests = new EventGuests(stage.living.arena, event);
  stage.witnesses.push(guests);
  const theirs = AutoResetEvent.from(stage.world.handle(event.handle, stage.victim));
  const signal = (): void => {
    guests.signals += 1;
    theirs.signal();
  };
  return { stage, guests, theirs, signal };
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
  stage.living.arena.reclaim(owner.seat.id);
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
