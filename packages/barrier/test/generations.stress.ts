import { Barrier } from '@sluice/barrier';
import { jsBarrier } from '@sluice/barrier/js';
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { scale, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { LINE, meet, type GenerationsData, type Way } from './jobs/generations.mjs';

const jobs = new URL('./jobs/generations.mjs', import.meta.url);

const CASES: readonly (readonly [
  ways: Way[],
  engine: 'wasm' | 'js',
  generations: number,
  spinMicros: number,
  acts: boolean,
])[] = [
  [['blocking', 'blocking'], 'wasm', 10_000, 20, false],
  [['blocking', 'blocking', 'blocking', 'blocking'], 'wasm', 5000, 0, true],
  [['timed', 'blocking', 'async'], 'wasm', 3000, 20, true],
  [['async', 'async', 'async'], 'wasm', 3000, 0, false],
  [['blocking', 'timed', 'async'], 'js', 3000, 20, true],
];

test.each(CASES)(
  'no party proceeds before all have arrived, and each generation has one leader (%j, %s, %i generations, spinMicros: %i, action: %s)',
  async (ways, engine, generations, spinMicros, acts) => {
    const session = new Session(`generations of a barrier, ${ways.join(', ')}, ${engine}`);
    const arena = Arena.create({
      maxPages: 16,
      engine: engine === 'js' ? jsEngine.with(jsBarrier) : undefined,
      policy: { spinMicros },
    });
    const barrier = Barrier.create(ways.length, { arena, name: 'phase' });
    const words = Region.create(4 * LINE * (ways.length + 1), { arena });
    const total = scale(generations);
    const data: GenerationsData = {
      arena: arena.handle,
      engine,
      barrier: barrier.handle,
      words: words.handle,
      ways,
      generations: total,
      acts,
    };
    const dump = (): unknown => ({
      barrier: barrier.inspect(),
      words: [...words.int32].filter((_, index) => index % LINE === 0),
    });
    const led = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<number>(ways.length, meet.name, () => data);
      return group.results<number>();
    });
    session.done(total * ways.length, `led ${led.join(' + ')}`);
    expect(led.reduce((sum, each) => sum + each)).toBe(total);
    expect(barrier.inspect()).toMatchObject({ generation: total, broken: undefined, parties: 0, claimedBy: [] });
    if (acts) expect(words.int32[ways.length * LINE]).toBe(total);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);
