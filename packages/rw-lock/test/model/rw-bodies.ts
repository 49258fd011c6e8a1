// Bodies of agents at a read-write lock.

import { GATE, OFFICE, OFFICE_HIGH } from '../../../core/src/kernel/layout.ts';
import { GRANTED, WAITING, type Verdict } from '../../../core/src/kernel/states.ts';
import { endWait, enterOrAbort, giveUp, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import { elementAt, TREASURE } from '../../../core/test/model/places.ts';
import { DUE } from '../../src/kernel/layout.ts';
import { waitingOf } from '../../src/kernel/word.ts';
import type { RwKernel } from '../../src/kinds.ts';
import { entryOf, LOCK, READERS, READS, TAG, WRITERS, WRITES, type RwActor, type RwBody } from './rw-world.ts';

/** Holds the lock for a short time and unlocks. `summary` is the state that the body keeps. */
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
/** Bodies that may time out at any moment of their sleep. */
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

/** Writes and downgrades. */
function stayAndDowngrade(actor: RwActor, ...summary: number[]): void {
  visit(actor, WRITES, ...summary);
  actor.lock.downgrade();
  stayReading(actor, ...summary);
}
export const writeThenRead = rounds((actor, round) => {
  actor.lock.writer.lock();
  stayAndDowngrade(actor, round);
});

/** Waits in an async call, as the event loop drives it. */
export const readOrAbort: RwBody = (actor) => {
  const { context } = actor;
  const entry = entryOf(actor, READERS);
  if (enterOrAbort(actor, () => (context.kernel as RwKernel).enqueueReader(LOCK, TAG, context.agent, entry, 1), entry))
    stayReading(actor);
};
export const writeOrAbort: RwBody = (actor) => {
  const { context } = actor;
  const entry = entryOf(actor, WRITERS);
  if (
    enterOrAbort(
      asWriter(actor),
      () => (context.kernel as RwKernel).enqueueWriter(LOCK, TAG, context.agent, entry, 1, 0),
      entry,
    )
  )
    stayWriting(actor);
};

/** The actor as it waits in the writers' line. */
export function asWriter(actor: RwActor): RwActor {
  const { line, timedChecks } = actor.writers;
  return { ...actor, line, timedChecks };
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
/** Writes repeatedly. */
export const unlockAndWrite =
  (times = 1): RwBody =>
  (actor) => {
    stayWriting(actor);
    return write(times)(actor);
  };

/** Writes twice, and downgrades after the first time. A turn begins before, and readers end it. */
export const downgradeAndWrite: RwBody = (actor) => {
  stayWriting(actor);
  actor.lock.writer.lock();
  stayAndDowngrade(actor);
  return write()(actor);
};

/** Words by which agents tell each other of their progress. */
const IS_DUE = TREASURE;
const IS_SERVED = TREASURE + 4;

/** Writes from the start, repeatedly. After its turn was due, it does not write before the successor does. */
export const writeOn =
  (times: number): RwBody =>
  (actor) => {
    const { ctx, lock } = actor;
    for (let round = 0; round < times; round++) {
      const wasDue = ctx.words.load32(IS_DUE) === 1;
      stayWriting(actor, round, Number(wasDue));
      lock.writer.lock();
      ctx.assert(
        !wasDue || ctx.words.load32(IS_SERVED) === 1,
        'a writer that ran got the lock again after its turn was due',
      );
    }
    stayWriting(actor);
  };

/** Writes from the start, repeatedly. When a reader waits, that reader reads before this agent writes again. */
export const writeUntilReader: RwBody = (actor) => {
  const { ctx, lock } = actor;
  stayWriting(actor);
  lock.writer.lock();
  ctx.until(() => waitingOf(ctx.words.load64(LOCK + OFFICE)) > 0 || ctx.words.load32(IS_SERVED) === 1);
  stayWriting(actor);
  lock.writer.lock();
  ctx.assert(ctx.words.load32(IS_SERVED) === 1, 'a writer got the lock again before a waiting reader');
  stayWriting(actor);
};

export const readAndTell: RwBody = (actor) => {
  actor.lock.reader.lock();
  actor.ctx.words.store32(IS_SERVED, 1);
  stayReading(actor);
};

/** Is asleep in the writers' line from the start. As soon as it is the successor, it ends the turn. */
export const insist: RwBody = (plain) => {
  const actor = asWriter(plain);
  const { core, ctx, context, line, timedChecks, policy } = actor;
  const [element, entry] = [elementAt(ctx.index), entryOf(actor, WRITERS)];
  ctx.until(() => ctx.words.load32(element + GATE) === GRANTED);
  let seen: Verdict | typeof WAITING = line.poll(element, entry);
  if (seen === WAITING) {
    timedChecks?.check(element);
    if ((ctx.words.load32(LOCK + OFFICE_HIGH) & DUE) !== 0) ctx.words.store32(IS_DUE, 1);
    seen = core.sleepInLine(context, { line, entry, timedChecks }, element, policy, Infinity);
  }
  if (!endWait(actor, element, seen)) return;
  ctx.words.store32(IS_SERVED, 1);
  stayWriting(actor);
};

export const leaveReaders: RwBody = (actor) => {
  if (giveUp(actor, entryOf(actor, READERS))) stayReading(actor);
};
export const leaveWriters: RwBody = (actor) => {
  if (giveUp(asWriter(actor), entryOf(actor, WRITERS))) stayWriting(actor);
};
