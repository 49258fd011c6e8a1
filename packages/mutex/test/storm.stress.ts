import { Arena, Region } from '@sluice/core';
import { atFullDepth, shortOf, Session, withWorkers } from '@sluice/harness';
import { Mutex, RecursiveMutex, type MutexOrder } from '@sluice/mutex';
import { expect, test } from 'vitest';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import { CORES } from '../../core/test/support/stress.ts';
import { COUNT, INSIDE, MUTEX_WORDS, START, storm, type StormData, type StormResult, type Way } from './jobs/storm.mjs';

const jobs = new URL('./jobs/storm.mjs', import.meta.url);

interface Storm {
  readonly workers: number;
  readonly rounds: number;
  readonly ways: readonly Way[];
  readonly kinds?: readonly (typeof Mutex | typeof RecursiveMutex)[];
  readonly buckets?: number;
  readonly spinMicros?: number;
  readonly engines?: readonly ('wasm' | 'js')[];
  readonly tasks?: number;
  readonly order?: MutexOrder;
  /** The percentage of visits that last a while. */
  readonly lasting?: number;
  /** Whether the main thread takes part, with calls that do not block. */
  readonly main?: boolean;
}

const ASYNC: readonly Way[] = ['async', 'async for', 'async, aborted', 'run async'];
const LEAVING: readonly Way[] = ['try', 'try for', 'try for', 'async for', 'async, aborted'];
const ALL: readonly Way[] = ['lock', 'try', 'try for', 'run', ...ASYNC];
/** Waits that time out at once, while other agents own the mutex for at least that time. */
const hurrying = { ways: ['hurry'], spinMicros: 0, lasting: 100 } as const;
const BOTH = [Mutex, RecursiveMutex];

/** As many as there are cores, so that workers meet within their steps. */
const FEW = Math.min(CORES, 4);
const STORMS: readonly (readonly [what: string, storm: Storm])[] = [
  ['a few workers lock and try', { workers: FEW, rounds: 100_000, ways: ['lock', 'try', 'try for'] }],
  ['a few workers time out at once', { workers: FEW, rounds: 200_000, ...hurrying }],
  [
    'a few agents of the TypeScript kernel time out at once',
    { workers: FEW, rounds: 100_000, ...hurrying, engines: ['js'] },
  ],
  [
    'six workers lock or time out at once',
    { workers: 6, rounds: 15_000, ...hurrying, ways: ['lock', 'hurry', 'hurry'], buckets: 2 },
  ],
  ['six workers use every call', { workers: 6, rounds: 6000, ways: ALL, main: true }],
  ['six workers use every call in strict order', { workers: 6, rounds: 6000, ways: ALL, main: true, order: 'fifo' }],
  [
    'six workers time out in strict order',
    { workers: 6, rounds: 5000, ways: LEAVING, kinds: BOTH, buckets: 1, order: 'fifo' },
  ],
  ['six workers use every call without spinning', { workers: 6, rounds: 6000, ways: ALL, spinMicros: 0 }],
  [
    'eight workers time out all the time, in one bucket',
    { workers: 8, rounds: 4000, ways: LEAVING, buckets: 1, main: true },
  ],
  ['six workers lock recursively', { workers: 6, rounds: 5000, ways: ALL, kinds: [RecursiveMutex] }],
  [
    'six workers time out at a recursive mutex without spinning',
    { workers: 6, rounds: 5000, ways: LEAVING, kinds: [RecursiveMutex], spinMicros: 0, buckets: 2 },
  ],
  ['four mutexes share one bucket', { workers: 6, rounds: 8000, ways: ALL, kinds: [...BOTH, ...BOTH], buckets: 1 }],
  ['many tasks of two agents time out', { workers: 2, rounds: 1000, ways: [...ASYNC, 'try'], tasks: 8, main: true }],
  [
    'both engines work in one arena',
    { workers: 6, rounds: 4000, ways: ALL, kinds: BOTH, engines: ['wasm', 'js'], main: true },
  ],
  [
    'agents of the TypeScript kernel time out all the time',
    { workers: 6, rounds: 3000, ways: LEAVING, engines: ['js'], buckets: 1 },
  ],
  ...atFullDepth([
    '64 workers use every call, in four buckets',
    { workers: 64, rounds: 200, ways: ALL, kinds: BOTH, buckets: 4 },
  ]),
];

test.each(STORMS)('no mutex ever has two owners, and all are free at the end, when %s', async (what, storming) => {
  const { workers, rounds, ways, ...rest } = storming;
  const session = new Session(what);
  const {
    kinds = [Mutex],
    buckets = 256,
    spinMicros = 20,
    engines = [undefined],
    tasks = 1,
    lasting = 10,
    main = false,
    order,
  } = rest;
  const arena = Arena.create({ maxPages: 64, policy: { buckets, spinMicros } });
  const mutexes = kinds.map((kind) => kind.create({ arena, order }));
  const { int32: words, handle } = Region.create(4 * mutexes.length * MUTEX_WORDS, { arena });
  const data = (engine: StormData['engine']): StormData => ({
    arena: arena.handle,
    engine,
    mutexes: mutexes.map((mutex) => mutex.handle),
    words: handle,
    rounds: shortOf(rounds),
    ways: [...ways],
    tasks,
    lasting,
  });

  const dump = (): unknown => ({ arena: arena.inspect(), mutexes: mutexes.map((mutex) => mutex.inspect()) });
  const results = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
    group.start<StormResult>(workers, 'storm', (index) => data(engines[index % engines.length]));
    await group.said('ready');
    Atomics.store(words, START, 1);
    Atomics.notify(words, START);
    const own = { index: workers, random: session.random, say: () => undefined, pause: () => Promise.resolve() };
    const mine = main
      ? [await storm({ ...data(undefined), ways: [...ASYNC], tasks: 1, rounds: shortOf(1000) }, own)]
      : [];
    return [...(await group.results<StormResult>()), ...mine];
  });

  const sum = (of: (result: StormResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const entered = mutexes.map((_, which) => sum((result) => result.entered[which] ?? 0));
  const gaveUp = sum((result) => result.gaveUp);
  session.done(
    sum(({ calls }) => calls),
    `${entered.join(' + ')} times owned, ${gaveUp} timed out`,
  );
  expect(mutexes.map((_, which) => words[which * MUTEX_WORDS + COUNT])).toEqual(entered);
  expect(mutexes.map((_, which) => words[which * MUTEX_WORDS + INSIDE])).toEqual(entered.map(() => 0));
  for (const mutex of mutexes) {
    expect(mutex.inspect()).toMatchObject({ owner: 0, depth: 0, consistency: 'consistent', waiters: [], abandoned: 0 });
    expectOfficeAtRest(arena, mutex.handle);
    mutex.free();
  }
});
