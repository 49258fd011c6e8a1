import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Arena, Region, type Engine } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import type { LockWay } from '../../core/test/jobs/lock-ways.mjs';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import { CORES } from '../../core/test/support/stress.ts';
import { COUNT, INSIDE, passBaton, START, WORDS, type StormData, type StormResult } from './jobs/storm.mjs';

const jobs = new URL('./jobs/storm.mjs', import.meta.url);

interface Storm {
  readonly workers: number;
  readonly rounds: number;
  readonly ways: readonly LockWay[];
  readonly buckets?: number;
  readonly spinMicros?: number;
  readonly engines?: readonly Engine[];
  readonly tasks?: number;
  /** Percentage of visits that last for some time. */
  readonly lasting?: number;
  /** Whether the main thread takes part, in the ways that do not block. */
  readonly main?: boolean;
}

const ASYNC: readonly LockWay[] = ['async', 'async for', 'async, aborted'];
const LEAVING: readonly LockWay[] = ['try', 'try for', 'try for', 'async for', 'async, aborted'];
const ALL: readonly LockWay[] = ['lock', 'try', 'try for', ...ASYNC];

/** Waits that time out at once, while other workers keep the signal longer than the timeout. */
const hurrying = { ways: ['hurry'], spinMicros: 0, lasting: 100 } as const;

/** One event, and the words that the owner of its signal may change. */
class Scene {
  readonly arena: Arena;
  readonly event: AutoResetEvent;
  readonly words: Int32Array;
  readonly #storm: Storm;
  readonly #region: Region;

  constructor(storm: Storm) {
    const { buckets = 256, spinMicros = 20 } = storm;
    this.arena = Arena.create({ maxPages: 64, policy: { buckets, spinMicros } });
    this.event = AutoResetEvent.create({ arena: this.arena });
    this.#region = Region.create(4 * WORDS, { arena: this.arena });
    this.words = this.#region.int32;
    this.#storm = storm;
  }

  data(index: number): StormData {
    const { engines = [undefined], rounds, ways, tasks = 1, lasting = 10 } = this.#storm;
    return {
      arena: this.arena.handle,
      engine: engines[index % engines.length],
      event: this.event.handle,
      words: this.#region.handle,
      rounds: shortOf(rounds),
      ways: [...ways],
      tasks,
      lasting,
    };
  }

  start(): void {
    Atomics.store(this.words, START, 1);
    Atomics.notify(this.words, START);
  }

  readonly dump = (): unknown => ({ arena: this.arena.inspect(), event: this.event.inspect() });

  expectAtRest(signalled: boolean): void {
    expect(this.event.inspect()).toMatchObject({ signalled, waiters: [], abandoned: 0 });
    expectOfficeAtRest(this.arena, this.event.handle, 1, signalled ? 1n : 0n);
  }
}

function sum(results: readonly StormResult[], key: keyof StormResult): number {
  return results.reduce((total, result) => total + result[key], 0);
}

/** As many workers as cores, so that workers meet within their steps. */
const FEW = Math.min(CORES, 4);
const BATONS: readonly (readonly [what: string, storm: Storm])[] = [
  ['a few workers consume it without pauses', { workers: FEW, rounds: 200_000, ...hurrying }],
  [
    'a few agents of the reference kernel consume it without pauses',
    { workers: FEW, rounds: 100_000, ...hurrying, engines: ['js'] },
  ],
  ['six workers consume it in every way', { workers: 6, rounds: 5000, ways: ALL, main: true }],
  ['six workers consume it without spinning', { workers: 6, rounds: 5000, ways: ALL, spinMicros: 0 }],
  ['eight workers keep timing out in one bucket', { workers: 8, rounds: 4000, ways: LEAVING, buckets: 1 }],
  ['many tasks of two agents time out', { workers: 2, rounds: 1000, ways: [...ASYNC, 'try'], tasks: 8, main: true }],
  ['both engines run in one arena', { workers: 6, rounds: 4000, ways: ALL, engines: ['wasm', 'js'], buckets: 2 }],
  ['32 workers consume it in every way', { workers: 32, rounds: 400, ways: ALL }],
];

test.each(BATONS)('a single signal is never doubled or lost when %s', async (what, storm) => {
  const session = new Session(`a baton: ${what}`);
  const scene = new Scene(storm);
  const { event, words } = scene;
  event.signal();
  const results = await withWorkers({ jobs, seed: session.seed, dump: scene.dump }, async (group) => {
    group.start<StormResult>(storm.workers, passBaton.name, (index) => scene.data(index));
    await group.said('ready');
    scene.start();
    const own = { index: storm.workers, random: session.random, say: () => undefined, pause: () => Promise.resolve() };
    const part = { ...scene.data(0), engine: undefined, ways: [...ASYNC], tasks: 1, rounds: shortOf(1000) };
    const mine = storm.main === true ? [await passBaton(part, own)] : [];
    return [...(await group.results<StormResult>()), ...mine];
  });
  session.done(sum(results, 'calls'), `${sum(results, 'taken')} consumed, ${sum(results, 'gaveUp')} timed out`);
  expect([words[COUNT], words[INSIDE]]).toEqual([sum(results, 'taken'), 0]);
  scene.expectAtRest(true);
  expect([event.reset(), event.reset(), event.tryWait()]).toEqual([true, false, false]);
});

const ACCOUNTS: readonly (readonly [what: string, storm: Storm])[] = [
  ['six consumers keep timing out', { workers: 6, rounds: 20_000, ways: LEAVING }],
  [
    'six consumers keep timing out in one bucket, without spinning',
    { workers: 6, rounds: 20_000, ways: LEAVING, buckets: 1, spinMicros: 0 },
  ],
  ['two consumers block briefly', { workers: 2, rounds: 50_000, ways: ['try for'] }],
];

test.each(ACCOUNTS)('each signal that did not collapse is consumed or kept when %s', async (what, storm) => {
  const session = new Session(`accounts: ${what}`);
  const scene = new Scene(storm);
  const { event } = scene;
  const results = await withWorkers({ jobs, seed: session.seed, dump: scene.dump }, async (group) => {
    group.start<StormResult>(storm.workers, 'takeAll', (index) => scene.data(index));
    group.start<StormResult>(1, 'signalAll', (index) => scene.data(index));
    await group.said('ready');
    scene.start();
    return group.results<StormResult>();
  });
  const kept = event.inspect().signalled;
  session.done(
    sum(results, 'calls'),
    `${sum(results, 'taken')} consumed, ${Number(kept)} kept, ${sum(results, 'gaveUp')} timed out`,
  );
  expect(sum(results, 'taken') + Number(kept)).toBe(shortOf(storm.rounds));
  scene.expectAtRest(kept);
});
