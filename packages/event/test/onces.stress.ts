import { Arena, Region } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { scale, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { goThrough, type OncesData, type Way } from './jobs/onces.mjs';

const jobs = new URL('./jobs/onces.mjs', import.meta.url);

const CASES: readonly (readonly [ways: Way[], failures: number, rounds: number, spinMicros: number])[] = [
  [['blocking', 'blocking', 'blocking'], 0, 400, 20],
  [['blocking', 'patient', 'async', 'waiting', 'waiting async'], 30, 200, 20],
  [['async', 'async', 'waiting', 'blocking'], 60, 200, 0],
];

test.each(CASES)(
  'each once is initialised once, and each lazy has one value (%j, %i of 100 initialisers throw, %i rounds, spinMicros: %i)',
  async (ways, failures, rounds, spinMicros) => {
    const session = new Session(`onces of ${ways.join(', ')}`);
    const arena = Arena.create({ maxPages: 2048, policy: { spinMicros } });
    const total = scale(rounds);
    const onces = Array.from({ length: total }, () => Once.create({ arena }));
    const lazies = onces.map(() => Lazy.create<string>({ arena, capacity: 128 }));
    const words = Region.create(8 * total, { arena });
    const data: OncesData = {
      arena: arena.handle,
      onces: onces.map(({ handle }) => handle),
      lazies: lazies.map(({ handle }) => handle),
      words: words.handle,
      ways,
      failures,
    };
    const dump = (): unknown => onces.map((once) => once.inspect()).filter(({ state }) => state !== 'done');
    const all = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<string[]>(ways.length, goThrough.name, () => data);
      return group.results<string[]>();
    });
    const failed = onces.reduce((sum, once) => sum + once.inspect().failures, 0);
    session.done(total * ways.length, `${failed} initialisers threw`);
    for (const values of all) expect(values).toEqual(all[0]);
    expect(lazies.map((lazy) => lazy.value)).toEqual(all[0]);
    expect(failed > 0).toBe(failures > 0);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    for (const primitive of [...onces, ...lazies]) primitive.free();
  },
);
