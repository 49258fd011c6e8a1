// The scenarios of the read-write lock. Each is small enough to be explored completely, or completely within a bound on
// preemptions.

import type { Options, Words } from '@sluice/model';
import { LIMIT } from '../../../core/src/kernel/layout.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import * as bodies from './rw-bodies.ts';
import type { RwLockOrder } from '../../src/rw-lock.ts';
import { LOCK, rwWorld, start, titled, type RwActor, type RwBody, type RwCore } from './rw-world.ts';
import { MUTANTS, TURN_MUTANTS } from './mutants.ts';

const {
  awaitRead,
  awaitWrite,
  downgrade,
  downgradeAndWrite,
  glanceToRead,
  glanceToWrite,
  insist,
  leaveReaders,
  leaveWriters,
  read,
  readAndTell,
  readOrAbort,
} = bodies;
const {
  tryRead,
  tryWrite,
  unlockAndWrite,
  unlockReader,
  unlockWriter,
  write,
  writeOn,
  writeOrAbort,
  writeThenRead,
  writeUntilReader,
} = bodies;

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 1, scheduleLocal: true };

/** Values just below the limits of 32-bit, double and 64-bit counters. */
const WRAPS = [2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 63n - 1n];

type Make = (
  name: string,
  agents: readonly RwBody[],
  options: Options,
  more?: Partial<OfficeSetup & Plan<RwActor>>,
) => Case;

export function rwCases(core: RwCore, order: RwLockOrder = 'fifo'): Case[] {
  const make: Make = (name, agents, options, more = {}) =>
    rwWorld(core, { order, agents: agents.length, ...more }).case({
      name: titled(name, order),
      bodies: agents,
      options,
      ...more,
    });
  return [...twoAgents(make, order), ...threeAgents(make), ...inLine(make), ...(order === 'fifo' ? [] : inTurns(make))];
}

function twoAgents(make: Make, order: RwLockOrder): Case[] {
  return [
    make('two readers', [read(2), read(2)], ALL),
    make('a writer and a reader', [write(2), read(2)], ALL),
    // With turns, all schedules together have 1.5 million states.
    make('two writers', [write(2), write(2)], order === 'fifo' ? ALL : { preemptions: 4 }),
    make('a writer, and a reader that may time out', [write(2), tryRead()], ALL),
    make('a reader, and a writer that may time out', [read(2), tryWrite()], ALL),
    make('two writers, one may time out', [write(), tryWrite(2)], ALL),
    make('a writer and a reader, both may time out', [tryWrite(2), tryRead()], ALL),
    make('two writers, both may time out', [tryWrite(), tryWrite()], ALL),
    make(
      'a writer, and an agent that tries without waiting',
      [write(2), (actor) => [glanceToRead()(actor), glanceToWrite()(actor)]],
      ALL,
    ),
    make(
      'a reader, and an agent that tries without waiting',
      [read(2), (actor) => [glanceToWrite()(actor), glanceToRead()(actor)]],
      ALL,
    ),
    make('a downgrade and a reader', [writeThenRead(), read(2)], ALL),
    make('a downgrade and a reader that may time out', [writeThenRead(), tryRead(2)], ALL),
    make('a downgrade and a writer', [writeThenRead(), write()], ALL),
    make('a downgrade and a writer that may time out', [writeThenRead(), tryWrite()], ALL),
    make('two downgrades', [writeThenRead(), writeThenRead()], ALL),
    make('a writer during an abort of a reader', [write(), readOrAbort], ALL),
    make('a writer during an abort of a writer', [write(), writeOrAbort], ALL),
    make('a reader during an abort of a writer', [read(), writeOrAbort], ALL),
    ...WRAPS.map((from) => make(`counters from ${from}`, [tryWrite(), tryRead()], ALL, { start: from })),
  ];
}

function threeAgents(make: Make): Case[] {
  return [
    make('a writer and two readers', [write(), read(), read()], TWO_PREEMPTIONS),
    make('two writers and a reader', [write(), write(), read()], TWO_PREEMPTIONS),
    make('a writer that may time out and two readers', [tryWrite(), read(), read()], TWO_PREEMPTIONS),
    make('a writer and two readers that may time out', [write(), tryRead(), tryRead()], TWO_PREEMPTIONS),
    make('three agents that may time out', [tryWrite(), tryWrite(), tryRead()], TWO_PREEMPTIONS),
    make('a downgrade, a writer and a reader', [writeThenRead(), write(), read()], TWO_PREEMPTIONS),
    make(
      'a downgrade, a writer and a reader that may time out',
      [writeThenRead(), tryWrite(), tryRead()],
      TWO_PREEMPTIONS,
    ),
    make('a writer, a reader and an abort', [write(), read(), readOrAbort], TWO_PREEMPTIONS),
    make('two writers and an abort', [write(), writeOrAbort, read()], TWO_PREEMPTIONS),
  ];
}

/** Cases that start with a holder and waiters. */
function inLine(make: Make): Case[] {
  const batch = start('writes', 'waits to read', 'waits to read');
  const behind = start('reads', 'waits to write', 'waits to read');
  const mixed = start('writes', 'waits to read', 'waits to write');
  const readersAndWriter = start('writes', 'waits to read', 'waits to write', 'waits to read');
  return [
    make('a waiting writer leaves with a reader behind it', [unlockReader, leaveWriters, awaitRead()], ALL, {
      before: behind,
    }),
    make(
      'a waiting writer and the reader behind it may time out',
      [unlockReader, awaitWrite(true), awaitRead(true)],
      TWO_PREEMPTIONS,
      { before: behind },
    ),
    make(
      'a waiting writer leaves with two readers behind it',
      [unlockReader, leaveWriters, awaitRead(), awaitRead(true)],
      ONE_PREEMPTION,
      {
        before: start('reads', 'waits to write', 'waits to read', 'waits to read'),
      },
    ),
    make('the first of two waiting writers leaves', [unlockReader, leaveWriters, awaitWrite()], THREE_PREEMPTIONS, {
      before: start('reads', 'waits to write', 'waits to write'),
    }),
    make('two waiting writers leave', [unlockWriter, leaveWriters, leaveWriters], TWO_PREEMPTIONS, {
      before: start('writes', 'waits to write', 'waits to write'),
    }),
    make('a waiting writer leaves, and a reader arrives', [unlockReader, leaveWriters, read()], TWO_PREEMPTIONS, {
      before: start('reads', 'waits to write'),
    }),
    make('a batch of readers', [unlockWriter, awaitRead(), awaitRead()], ALL, { before: batch }),
    make('one of a batch of readers leaves', [unlockWriter, leaveReaders, awaitRead()], THREE_PREEMPTIONS, {
      before: batch,
    }),
    make('two of a batch of readers leave', [unlockWriter, leaveReaders, leaveReaders], TWO_PREEMPTIONS, {
      before: batch,
    }),
    make(
      'one of a batch of readers in two buckets leaves',
      [unlockWriter, leaveReaders, awaitRead()],
      THREE_PREEMPTIONS,
      {
        before: batch,
        buckets: 2,
      },
    ),
    make(
      'a batch of readers leaves while a writer and a reader arrive',
      [unlockWriter, leaveReaders, write(), read()],
      ONE_PREEMPTION,
      {
        before: start('writes', 'waits to read'),
      },
    ),
    make(
      'one reader of a batch leaves while a writer waits',
      [unlockWriter, leaveReaders, awaitWrite(), awaitRead()],
      ONE_PREEMPTION,
      {
        before: readersAndWriter,
      },
    ),
    // Words that only one agent should use are scheduling points, too.
    make('one of a batch of readers leaves, every word watched', [unlockWriter, leaveReaders, awaitRead()], LOCAL, {
      before: batch,
    }),
    make('a waiting writer leaves, every word watched', [unlockReader, leaveWriters, awaitRead()], LOCAL, {
      before: behind,
    }),
    make('a downgrade with a reader and a writer in line', [downgrade, awaitRead(), awaitWrite()], ALL, {
      before: mixed,
    }),
    make(
      'a downgrade while the waiters may time out',
      [downgrade, awaitRead(true), awaitWrite(true)],
      TWO_PREEMPTIONS,
      {
        before: mixed,
      },
    ),
    make(
      'a downgrade with two readers and a writer in line',
      [downgrade, leaveReaders, awaitWrite(), awaitRead()],
      ONE_PREEMPTION,
      {
        before: readersAndWriter,
      },
    ),
  ];
}

/** Makes a writer end its turn after one pass. */
const onePass = (words: Words): void => words.put32(LOCK + LIMIT, 1);

function inTurns(make: Make): Case[] {
  const line = start('writes', 'waits to write');
  return [
    make('two writers that lock twice, one may time out', [write(2), tryWrite(2)], { preemptions: 4 }),
    make('a turn ends', [writeOn(2), insist], THREE_PREEMPTIONS, { before: line }),
    make('a turn ends, and another writer arrives', [writeOn(2), insist, write()], ONE_PREEMPTION, { before: line }),
    make('a turn of one pass, two writers', [write(2), write()], ALL, { before: onePass }),
    make('a turn of one pass, three writers', [write(2), write(), tryWrite()], ONE_PREEMPTION, { before: onePass }),
    make('a writer arrives in the turn of another', [unlockAndWrite(), awaitWrite(), write()], TWO_PREEMPTIONS, {
      before: line,
    }),
    make('a reader arrives in a turn', [unlockAndWrite(), awaitWrite(), read()], TWO_PREEMPTIONS, { before: line }),
    make('a waiting reader ends a turn', [writeUntilReader, awaitWrite(), readAndTell], TWO_PREEMPTIONS, {
      before: line,
    }),
    make(
      'a reader that may time out arrives in a turn',
      [unlockAndWrite(), awaitWrite(true), tryRead()],
      TWO_PREEMPTIONS,
      { before: line },
    ),
    make('a downgrade in a turn', [downgradeAndWrite, awaitWrite(), read()], TWO_PREEMPTIONS, { before: line }),
    make(
      'a successor leaves while readers are inside',
      [downgradeAndWrite, awaitWrite(true), tryRead()],
      TWO_PREEMPTIONS,
      { before: line },
    ),
    make('a successor leaves in a turn', [unlockAndWrite(2), leaveWriters, awaitWrite()], TWO_PREEMPTIONS, {
      before: start('writes', 'waits to write', 'waits to write'),
    }),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'rw-lock', entry: ENTRY, cases: rwCases, mutants: MUTANTS },
  {
    name: 'rw-lock in turns',
    entry: ENTRY,
    cases: (source: RwCore) => rwCases(source, 'turns'),
    mutants: TURN_MUTANTS,
  },
];
