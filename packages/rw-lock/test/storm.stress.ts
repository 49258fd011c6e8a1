import { Arena, Region, type Engine } from '@sluice/core';
import { atFullDepth, shortOf, Session, withWorkers } from '@sluice/harness';
import { RwLock } from '@sluice/rw-lock';
import { expect, test } from 'vitest';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import { CORES } from '../../core/test/support/stress.ts';
import { LOCK_WORDS, PAYLOAD, READING, START, storm, WRITING } from './jobs/storm.mjs';
import type { StormData, StormResult, Way } from './jobs/storm.mjs';

const jobs = new URL('./jobs/storm.mjs', import.meta.url);

interface Storm {
  readonly workers: number;
  readonly rounds: number;
  /** The percentage of writes. */
  readonly writes: number;
  readonly readers: readonly Way[];
  readonly writers: readonly Way[];
  readonly locks?: number;
  readonly buckets?: number;
  readonly spinMicros?: number;
  readonly engines?: readonly Engine[];
  readonly tasks?: number;
  /** The percentage of visits that last a while. */
  readonly lasting?: number;
  /** Whether the main thread takes part, with calls that do not block. */
  readonly main?: boolean;
}

const ASYNC: readonly Way[] = ['async', 'async for', 'async, aborted', 'run async'];
const LEAVING: readonly Way[] = ['try', 'try for', 'try for', 'async for', 'async, aborted'];
const ALL: readonly Way[] = ['lock', 'try', 'try for', 'run', ...ASYNC];
const every = { readers: ALL, writers: ALL };
const leaving = { readers: LEAVING, writers: LEAVING };
const waiting = { readers: ASYNC, writers: ASYNC };
/** Waits that time out at once, while other agents hold the lock for at least that time. */
const hurrying = { readers: ['hurry'], writers: ['hurry'], spinMicros: 0, lasting: 100 } as const;
const blocking = { readers: ['lock', 'try for'], writers: ['lock', 'try for'] } as const;
const STAYING: readonly Way[] = ['lock', 'run', 'async'];

/** As many as there are cores, so that workers meet within their steps. */
const FEW = Math.min(CORES, 4);
const STORMS: readonly (readonly [what: string, storm: Storm])[] = [
  ['a few workers read and write', { workers: FEW, rounds: 40_000, writes: 50, ...blocking }],
  ['a few workers time out at once', { workers: FEW, rounds: 100_000, writes: 60, ...hurrying }],
  [
    'a few agents of the TypeScript kernel time out at once',
    { workers: FEW, rounds: 50_000, writes: 60, ...hurrying, engines: ['js'] },
  ],
  [
    'four agents of the TypeScript kernel time out at once',
    { workers: 4, rounds: 15_000, writes: 40, ...hurrying, engines: ['js'] },
  ],
  ['six workers mostly read', { workers: 6, rounds: 5000, writes: 10, ...every, main: true }],
  ['six workers mostly write', { workers: 6, rounds: 4000, writes: 70, ...every }],
  ['six workers use every call without spinning', { workers: 6, rounds: 4000, writes: 30, ...every, spinMicros: 0 }],
  ['readers stay and writers time out', { workers: 6, rounds: 4000, writes: 40, readers: STAYING, writers: LEAVING }],
  ['writers stay and readers time out', { workers: 6, rounds: 4000, writes: 40, readers: LEAVING, writers: STAYING }],
  [
    'eight workers time out, in one bucket',
    { workers: 8, rounds: 3500, writes: 40, ...leaving, buckets: 1, main: true },
  ],
  ['many tasks of two agents time out', { workers: 2, rounds: 800, writes: 30, ...waiting, tasks: 8, main: true }],
  ['three locks share two buckets', { workers: 6, rounds: 6000, writes: 40, ...every, locks: 3, buckets: 2 }],
  [
    'both engines work in one arena',
    { workers: 6, rounds: 3000, writes: 30, ...every, engines: ['wasm', 'js'], main: true },
  ],
  [
    'agents of the TypeScript kernel time out',
    { workers: 6, rounds: 2500, writes: 40, ...leaving, engines: ['js'], buckets: 1 },
  ],
  ...atFullDepth(['64 workers use every call', { workers: 64, rounds: 150, writes: 30, ...every }]),
];

test.each(STORMS)(
  'no reader sees half of a write, and the lock is free at the end, when %s',
  async (what, storming) => {
    const { workers, rounds, readers, writers, ...rest } = storming;
    const session = new Session(what);
    const { writes, locks: count = 1, buckets = 256, spinMicros = 20, engines = [undefined] } = rest;
    const { tasks = 1, lasting = 10, main = false } = rest;
    const arena = Arena.create({ maxPages: 64, policy: { buckets, spinMicros } });
    const locks = Array.from({ length: count }, () => RwLock.create({ arena }));
    const { int32: words, handle } = Region.create(4 * count * LOCK_WORDS, { arena });
    const data = (engine: Engine | undefined): StormData => ({
      arena: arena.handle,
      engine,
      locks: locks.map((lock) => lock.handle),
      words: handle,
      rounds: shortOf(rounds),
      readerWays: [...readers],
      writerWays: [...writers],
      writes,
      tasks,
      lasting,
    });

    const dump = (): unknown => ({ arena: arena.inspect(), locks: locks.map((lock) => lock.inspect()) });
    const results = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<StormResult>(workers, storm.name, (index) => data(engines[index % engines.length]));
      await group.said('ready');
      Atomics.store(words, START, 1);
      Atomics.notify(words, START);
      const own = { index: workers, random: session.random, say: () => undefined, pause: () => Promise.resolve() };
      const part = {
        ...data(undefined),
        readerWays: [...ASYNC],
        writerWays: [...ASYNC],
        tasks: 1,
        rounds: shortOf(1000),
      };
      const mine = main ? [await storm(part, own)] : [];
      return [...(await group.results<StormResult>()), ...mine];
    });

    const sum = (of: (result: StormResult) => number): number =>
      results.reduce((total, result) => total + of(result), 0);
    const written = locks.map((_, which) => sum((result) => result.writes[which] ?? 0));
    const details = [
      `${sum(({ reads }) => reads)} reads`,
      `${written.join(' + ')} writes`,
      `${sum(({ downgrades }) => downgrades)} downgrades`,
      `${sum(({ gaveUp }) => gaveUp)} timed out`,
    ];
    session.done(
      sum(({ calls }) => calls),
      details.join(', '),
    );
    const wordsOf = (which: number, word: number): number | undefined => words[which * LOCK_WORDS + word];
    expect(locks.map((_, which) => wordsOf(which, PAYLOAD))).toEqual(written);
    expect(locks.map((_, which) => [wordsOf(which, READING), wordsOf(which, WRITING)])).toEqual(
      locks.map(() => [0, 0]),
    );
    const free = { writer: 0, readers: [], consistency: 'consistent', waitingReaders: [], waitingWriters: [] };
    for (const lock of locks) {
      expect(lock.inspect()).toMatchObject(free);
      expectOfficeAtRest(arena, lock.handle, 2);
      lock.free();
    }
  },
);
