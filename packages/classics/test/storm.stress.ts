import { Arena, Region, type Engine } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { CORES } from '../../core/test/support/stress.ts';
import { KINDS } from './jobs/kinds.mjs';
import { DONE, storm, type StormData, type StormResult } from './jobs/storm.mjs';
import { COUNT, INSIDE, LOCK_WORDS, START, type Way } from './jobs/visitor.mjs';
import { expectLockAtRest } from './support/lock-at-rest.ts';

const jobs = new URL('./jobs/storm.mjs', import.meta.url);

interface Storm {
  readonly workers: number;
  readonly rounds: number;
  readonly ways: readonly Way[];
  readonly buckets?: number;
  readonly spinMicros?: number;
  readonly engines?: readonly Engine[];
  readonly tasks?: number;
  /** Percentage of visits that last for some time. */
  readonly lasting?: number;
  /** Whether the main thread takes part, in the ways that do not block. */
  readonly main?: boolean;
}

const ASYNC: readonly Way[] = ['async', 'async for', 'async, aborted', 'run async'];
const LEAVING: readonly Way[] = ['try', 'try for', 'try for', 'async for', 'async, aborted'];
const ALL: readonly Way[] = ['lock', 'lock', 'try', 'try for', 'run', ...ASYNC];

/** Elements that an agent keeps at hand: 8 and a spare. */
const KEPT_ELEMENTS = 9;

/** As many workers as cores, so that workers meet within their steps. */
const FEW = Math.min(CORES, 4);
const STORMS: readonly (readonly [what: string, storm: Storm])[] = [
  [
    'a few workers hurry',
    { workers: FEW, rounds: 25_000, ways: ['hurry', 'hurry', 'lock'], spinMicros: 0, lasting: 100 },
  ],
  ['eight workers do everything', { workers: 8, rounds: 600, ways: ALL, main: true }],
  [
    'sixteen workers time out',
    { workers: 16, rounds: 200, ways: [...LEAVING, 'lock'], buckets: 1, engines: ['wasm', 'js'] },
  ],
  ['many tasks of two agents time out', { workers: 2, rounds: 150, ways: [...ASYNC, 'try'], tasks: 8, main: true }],
];
/** Locks at which no waiter may starve: all tasks continue until all have done their rounds. */
const FAIR: readonly string[] = ['TicketLock', 'McsLock', 'ReciprocatingLock'];

describe.each(Object.entries(KINDS))('at a %s', (kind, Lock) => {
  test.each(STORMS)('the lock never has two owners, and is free at the end, when %s', async (what, storming) => {
    const { workers, rounds, ways, ...rest } = storming;
    const session = new Session(`${kind}: ${what}`);
    const { buckets = 256, spinMicros = 20, engines = [undefined], tasks = 1, lasting = 10, main = false } = rest;
    const arena = Arena.create({ maxPages: 64, policy: { buckets, spinMicros } });
    const lock = Lock.create({ arena, name: kind });
    const { int32: words, handle } = Region.create(4 * LOCK_WORDS, { arena });
    const all = workers * tasks + (main ? 1 : 0);
    const data = (engine: Engine | undefined): StormData => ({
      arena: arena.handle,
      engine,
      lock: lock.handle,
      words: handle,
      rounds: shortOf(rounds),
      ways: [...ways],
      tasks,
      lasting,
      until: FAIR.includes(kind) ? all : 0,
    });

    const dump = (): unknown => ({ arena: arena.inspect(), lock: lock.inspect(), words: [...words] });
    const results = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<StormResult>(workers, storm.name, (index) => data(engines[index % engines.length]));
      await group.said('ready');
      Atomics.store(words, START, 1);
      Atomics.notify(words, START);
      const own = { index: workers, random: session.random, say: () => undefined, pause: () => Promise.resolve() };
      const mine = main
        ? [await storm({ ...data(undefined), ways: [...ASYNC], tasks: 1, rounds: shortOf(100) }, own)]
        : [];
      return [...(await group.results<StormResult>()), ...mine];
    });

    const sum = (of: (result: StormResult) => number): number =>
      results.reduce((total, result) => total + of(result), 0);
    const entered = sum((result) => result.entered);
    session.done(
      sum(({ calls }) => calls),
      `${entered} owned the lock, ${sum(({ gaveUp }) => gaveUp)} timed out`,
    );
    expect([words[COUNT], words[INSIDE], words[DONE]]).toEqual([entered, 0, all]);
    expectLockAtRest(arena, lock);
    const { elements, agents } = arena.inspect();
    expect(elements.total - elements.free).toBeLessThanOrEqual(KEPT_ELEMENTS * agents.length);
    lock.free();
    expect(arena.inspect().blocks.filter((block) => block.kind === 'lock')).toEqual([]);
  });
});
