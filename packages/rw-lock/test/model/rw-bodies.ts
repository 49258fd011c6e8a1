// What agents do with a read-write lock.

import { enterOrAbort, giveUp, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import type { RwKernel } from '../../src/kinds.ts';
import { entryOf, LOCK, READERS, READS, TAG, WRITERS, WRITES, type RwActor, type RwBody } from './rw-world.ts';

/** Holds the lock for a moment and unlocks. `summary`: what the body remembers from before. */
function stayReading(actor: RwActor, ...summary: number[]): void {
  visit(actor, READS, ...summary);
  actor.lock.reader.unlock();
}

function stayWriting(actor: RwActor, ...summary: number[]): void {
  visit(actor, WRITES, ...summary);
  actor.lock.writer.unlock();
}

const rounds =
  (body: (actor: RwActor, round: number) => void) =>
  (times = 1): RwBody =>
  (actor) => {
    for (let round = 0; round < times; round++) {
      body(actor, round);
      actor.ctx.forget(round);
    }
  };

export const read = rounds((actor, round) => {
  actor.lock.reader.lock();
  stayReading(actor, round);
});
export const write = rounds((actor, round) => {
  actor.lock.writer.lock();
  stayWriting(actor, round);
});
/** May time out at any moment of its sleep. */
export const tryRead = rounds((actor, round) => {
  if (actor.lock.reader.tryLock(1)) stayReading(actor, round);
});
export const tryWrite = rounds((actor, round) => {
  if (actor.lock.writer.tryLock(1)) stayWriting(actor, round);
});
export const glanceToRead = rounds((actor, round) => {
  if (actor.lock.reader.tryLock()) stayReading(actor, round);
});
export const glanceToWrite = rounds((actor, round) => {
  if (actor.lock.writer.tryLock()) stayWriting(actor, round);
});

/** A writer that downgrades. */
function stayAndDowngrade(actor: RwActor, ...summary: number[]): void {
  visit(actor, WRITES, ...summary);
  actor.lock.downgrade();
  stayReading(actor, ...summary);
}
export const writeThenRead = rounds((actor, round) => {
  actor.lock.writer.lock();
  stayAndDowngrade(actor, round);
});

/** Async waits as the event loop drives them. */
export const readOrAbort: RwBody = (actor) => {
  const { context } = actor;
  const entry = entryOf(actor, READERS);
  if (enterOrAbort(actor, () => (context.kernel as RwKernel).enqueueReader(LOCK, TAG, context.agent, entry, 1), entry)) stayReading(actor);
};
export const writeOrAbort: RwBody = (actor) => {
  const { context } = actor;
  const entry = entryOf(actor, WRITERS);
  if (enterOrAbort(asWriter(actor), () => (context.kernel as RwKernel).enqueueWriter(LOCK, TAG, context.agent, entry, 1), entry)) stayWriting(actor);
};

/** The actor as it waits in the writers' line. */
function asWriter(actor: RwActor): RwActor {
  return { ...actor, line: actor.writersLine };
}

/** Bodies of agents that hold the lock or wait from the start (`start`). */
export const unlockReader: RwBody = (actor) => stayReading(actor);
export const unlockWriter: RwBody = (actor) => stayWriting(actor);
export const downgrade: RwBody = (actor) => stayAndDowngrade(actor);
export const awaitRead =
  (timed = false): RwBody =>
  (actor) => {
    if (sleepOn(actor, entryOf(actor, READERS), timed)) stayReading(actor);
  };
export const awaitWrite =
  (timed = false): RwBody =>
  (actor) => {
    if (sleepOn(asWriter(actor), entryOf(actor, WRITERS), timed)) stayWriting(actor);
  };
export const leaveReaders: RwBody = (actor) => {
  if (giveUp(actor, entryOf(actor, READERS))) stayReading(actor);
};
export const leaveWriters: RwBody = (actor) => {
  if (giveUp(asWriter(actor), entryOf(actor, WRITERS))) stayWriting(actor);
};
