// Scenarios in which agents die: before any kernel step, write or notification, or asleep. A recovery only subtracts a
// dead reader from the count. After a dead writer, the next writer is told and readers get errors, unless the writer
// died before it knew that it had the lock.

import type { Options } from '@sluice/model';
import { changeBoth, checkNotice, isMourned } from '../../../core/test/model/notice.ts';
import { reclaim, sleepOn, visit } from '../../../core/test/model/office-bodies.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import { TREASURE } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { asWriter, awaitRead, awaitWrite, readOrAbort, unlockReader, unlockWriter, writeOrAbort } from './rw-bodies.ts';
import type { RwLockOrder } from '../../src/rw-lock.ts';
import {
  entryOf,
  READS,
  rwWorld,
  start,
  titled,
  WRITERS,
  WRITES,
  type RwActor,
  type RwBody,
  type RwCore,
} from './rw-world.ts';
import { DEATH_MUTANTS, TURN_DEATH_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** Writes both words. */
const change =
  (timed = false): RwBody =>
  (actor) => {
    const { writer } = actor.lock;
    changeBoth(actor, writer, () => enter(writer, timed), WRITES);
  };

function enter(side: RwActor['lock']['reader'] | RwActor['lock']['writer'], timed: boolean): boolean {
  if (timed) return side.tryLock(1);
  side.lock();
  return true;
}

/** Writes both words, downgrades and reads them. */
const changeThenRead: RwBody = (actor) => {
  const { lock } = actor;
  const unlock = (): void => {
    lock.downgrade();
    compare(actor);
    lock.reader.unlock();
  };
  changeBoth(actor, { unlock }, () => enter(lock.writer, false), WRITES);
};

const changeTwice: RwBody = (actor) => {
  change()(actor);
  return change()(actor);
};

const changeTwiceThenRead: RwBody = (actor) => {
  change()(actor);
  return changeThenRead(actor);
};

/** Writes from the start, and then once more. */
const changeOn: RwBody = (actor) => {
  changeBoth(actor, actor.lock.writer, () => true, WRITES);
  return change()(actor);
};

/** Is asleep in the writers' line from the start. */
const changeInLine: RwBody = (actor) =>
  changeBoth(actor, actor.lock.writer, () => sleepOn(asWriter(actor), entryOf(actor, WRITERS)), WRITES);

/** Reads both words, or gets an error. */
const compareBoth =
  (timed = false): RwBody =>
  (actor) => {
    const { core, lock } = actor;
    try {
      if (!enter(lock.reader, timed)) return;
    } catch (error) {
      if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
      actor.ctx.assert((error as { guard?: unknown }).guard === undefined, 'a reader got a guard');
      return;
    }
    actor.ctx.assert(!isMourned(actor.ctx.words), 'a writer died, and a reader got no error');
    compare(actor);
    lock.reader.unlock();
  };

/** Checks that the words agree and no other agent writes meanwhile. */
function compare(actor: RwActor): void {
  const { ctx } = actor;
  const first = ctx.words.get32(TREASURE);
  ctx.assert(first === ctx.words.get32(TREASURE + 4), 'the words differ, and the reader got no error');
  visit(actor, READS, first);
  ctx.assert(ctx.words.get32(TREASURE) === first, 'another agent wrote during a read');
}

/** Holds the read lock twice. */
const readTwice: RwBody = (actor) => {
  const { lock } = actor;
  lock.reader.lock();
  const again = lock.reader.tryLock();
  visit(actor, READS, again ? 1 : 0);
  lock.reader.unlock();
  if (again) lock.reader.unlock();
};

export function rwDeathCases(core: RwCore, order: RwLockOrder = 'fifo'): Case[] {
  const make = (
    name: string,
    bodies: readonly RwBody[],
    options: Options,
    more: Partial<OfficeSetup & Plan<RwActor>> = {},
  ): Case =>
    rwWorld(core, { order, agents: bodies.length, ...more }).case({
      name: titled(name, order),
      bodies,
      options,
      mayCrash: [0],
      final: checkNotice,
      ...more,
    });
  const second = { mayCrash: [1] };
  return [
    make('a writer before a writer may die', [change(), change(), reclaim(0)], ALL),
    make('a writer before a writer that may time out may die', [change(), change(true), reclaim(0)], ALL),
    make('a writer before a reader may die', [change(), compareBoth(), reclaim(0)], ALL),
    make('a writer that may time out may die', [change(true), change(), reclaim(0)], ALL),
    make('an async writer may die', [writeOrAbort, change(), reclaim(0)], ALL),
    make('a reader may die', [compareBoth(), change(), reclaim(0)], ALL),
    make('a reader that may time out may die', [compareBoth(true), change(), reclaim(0)], ALL),
    make('an async reader may die', [readOrAbort, change(), reclaim(0)], ALL),
    make('a reader with two read locks may die', [readTwice, change(), reclaim(0)], ALL),
    make('a downgrading writer before a writer may die', [changeThenRead, change(), reclaim(0)], ALL),
    make('a downgrading writer before a reader may die', [changeThenRead, compareBoth(), reclaim(0)], ALL),
    make(
      'a writer before a reader and a writer may die',
      [change(), compareBoth(), change(), reclaim(0)],
      ONE_PREEMPTION,
    ),
    make(
      'a waiting writer with a reader behind it may die',
      [unlockReader, awaitWrite(), awaitRead(), reclaim(1)],
      TWO_PREEMPTIONS,
      {
        ...second,
        before: start('reads', 'waits to write', 'waits to read'),
      },
    ),
    make('one of a batch of readers may die', [unlockWriter, awaitRead(), awaitRead(), reclaim(1)], ONE_PREEMPTION, {
      ...second,
      before: start('writes', 'waits to read', 'waits to read'),
    }),
    make(
      'one of a batch of readers may die while a writer waits',
      [unlockWriter, awaitRead(), awaitWrite(), reclaim(1)],
      ONE_PREEMPTION,
      {
        ...second,
        before: start('writes', 'waits to read', 'waits to write'),
      },
    ),
    make('a writer and the next owner may die', [change(), change(), change(), reclaim(0, 1)], NO_PREEMPTION, {
      mayCrash: [0, 1],
      deaths: 2,
    }),
    make(
      'a reclaimer may die while other agents wait',
      [change(), compareBoth(), reclaim(0), reclaim(2, 0)],
      NO_PREEMPTION,
      {
        mayCrash: [0, 2],
        deaths: 2,
      },
    ),
    ...(order === 'fifo'
      ? []
      : [
          make('a writer whose turn is due may die', [changeTwice, change(), reclaim(0)], TWO_PREEMPTIONS),
          make('a successor may die', [changeOn, changeInLine, change(), reclaim(1)], ONE_PREEMPTION, {
            ...second,
            before: start('writes', 'waits to write'),
          }),
          make(
            'the last reader before a successor may die',
            [changeTwiceThenRead, change(), reclaim(0)],
            TWO_PREEMPTIONS,
          ),
          make('a reader may die in a turn', [changeOn, changeInLine, compareBoth(), reclaim(2)], ONE_PREEMPTION, {
            mayCrash: [2],
            before: start('writes', 'waits to write'),
          }),
        ]),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'rw-lock death', entry: ENTRY, cases: rwDeathCases, mutants: DEATH_MUTANTS },
  {
    name: 'rw-lock in turns, death',
    entry: ENTRY,
    cases: (source: RwCore) => rwDeathCases(source, 'turns'),
    mutants: TURN_DEATH_MUTANTS,
  },
];
