import { Arena, Semaphore } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { storm, type StormData, type StormResult, type Way } from './jobs/storm.mjs';
import { CORES, dumpOf, expectQuiet, jobs, sharedWords } from './support/stress.ts';

interface Storm {
  readonly workers: number;
  readonly rounds: number;
  readonly permits: number;
  readonly most: number;
  readonly ways: readonly Way[];
  readonly buckets?: number;
  readonly semaphores?: number;
  readonly tasks?: number;
  readonly max?: number;
  readonly spinMicros?: number;
  readonly engines?: readonly ('wasm' | 'js')[];
  /** Whether the main thread takes part, with calls that do not block. */
  readonly main?: boolean;
}

const BLOCKING: readonly Way[] = ['acquire', 'try', 'try for 1 ms'];
const ASYNC: readonly Way[] = ['async', 'async for 1 ms', 'async, aborted'];
const POLLING: readonly Way[] = ['try', 'try for 1 ms'];
const LEAVING: readonly Way[] = ['try for 1 ms', 'async, aborted', 'async for 1 ms'];
const ALL: readonly Way[] = [...BLOCKING, ...ASYNC, 'drain'];

const STORMS: readonly (readonly [what: string, storm: Storm])[] = [
  [
    'as many workers as cores poll for one permit with 0 and 1 ms',
    { workers: CORES, rounds: 160_000, permits: 1, most: 1, ways: POLLING },
  ],
  [
    'workers poll for several permits with 0 and 1 ms',
    { workers: 4, rounds: 24_000, permits: 4, most: 4, ways: POLLING },
  ],
  ['workers block, poll and time out', { workers: 4, rounds: 50_000, permits: 2, most: 2, ways: BLOCKING }],
  [
    'workers block, poll and time out without spinning',
    { workers: 4, rounds: 50_000, permits: 2, most: 2, ways: BLOCKING, spinMicros: 0 },
  ],
  [
    'async waits of many tasks time out and are aborted',
    { workers: 2, rounds: 2500, permits: 3, most: 3, ways: ASYNC, tasks: 8, main: true },
  ],
  [
    'workers use every call at the same time, with up to five of seven permits',
    { workers: 4, rounds: 24_000, permits: 7, most: 5, ways: ALL, main: true },
  ],
  [
    'two semaphores share the only bucket',
    { workers: 4, rounds: 24_000, permits: 3, most: 2, ways: ALL, buckets: 1, semaphores: 2, main: true },
  ],
  [
    'eight semaphores share two buckets',
    { workers: 4, rounds: 24_000, permits: 2, most: 2, ways: BLOCKING, buckets: 2, semaphores: 8 },
  ],
  ['a bounded semaphore', { workers: 4, rounds: 24_000, permits: 4, most: 3, ways: ALL, max: 4 }],
  [
    'both engines work in one arena',
    { workers: 4, rounds: 24_000, permits: 3, most: 3, ways: ALL, engines: ['wasm', 'js'], main: true },
  ],
  [
    'agents of the TypeScript kernel time out all the time',
    { workers: 4, rounds: 12_000, permits: 3, most: 3, ways: LEAVING, engines: ['js'], buckets: 1 },
  ],
  [
    'agents block behind async waits of their own',
    { workers: 4, rounds: 8000, permits: 3, most: 2, ways: ['behind itself', 'acquire'] },
  ],
  [
    'both engines share one bucket and two bounded semaphores',
    {
      workers: 4,
      rounds: 24_000,
      permits: 3,
      most: 3,
      max: 3,
      ways: ALL,
      engines: ['js', 'wasm'],
      buckets: 1,
      semaphores: 2,
    },
  ],
];

test.each(STORMS)(
  'permits are conserved when %s',
  async (what, { workers, semaphores = 1, permits, max, tasks = 1, ...rest }) => {
    const session = new Session(what);
    const { buckets = 256, spinMicros = 20 } = rest;
    const arena = Arena.create({ maxPages: 64, policy: { buckets, spinMicros } });
    const sems = Array.from({ length: semaphores }, () => Semaphore.create(permits, { arena, max }));
    const taken = sharedWords(arena, semaphores + 1);
    const data = (ways: readonly Way[], engine: 'wasm' | 'js' | undefined): StormData => ({
      arena: arena.handle,
      semaphores: sems.map(({ handle }) => handle),
      permits,
      taken: taken.handle,
      rounds: shortOf(rest.rounds),
      most: rest.most,
      ways: [...ways],
      tasks,
      ...(engine === undefined ? {} : { engine }),
    });

    const results = await withWorkers(
      { jobs: jobs.storm, seed: session.seed, dump: dumpOf(arena, sems) },
      async (group) => {
        group.start<StormResult>(workers, 'storm', (index) =>
          data(rest.ways, rest.engines?.[index % rest.engines.length]),
        );
        await group.said('ready');
        Atomics.store(taken.int32, semaphores, 1);
        Atomics.notify(taken.int32, semaphores);
        const own = { index: workers, random: session.random, say: () => undefined, pause: () => Promise.resolve() };
        const mine = rest.main === true ? [await storm({ ...data(ASYNC, undefined), rounds: shortOf(1500) }, own)] : [];
        return [...(await group.results<StormResult>()), ...mine];
      },
    );

    const sum = (key: keyof StormResult): number => results.reduce((total, result) => total + result[key], 0);
    session.done(sum('calls'), `${sum('admitted')} admitted, ${sum('gaveUp')} gave up`);
    expect(sum('admitted')).toBeGreaterThan(0);
    expect([...taken.int32]).toEqual([...sems.map(() => 0), 1]);
    expectQuiet(arena, sems, permits);
  },
);
