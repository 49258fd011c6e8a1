import { CountdownLatch } from '@sluice/barrier';
import { jsBarrier } from '@sluice/barrier/js';
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { scale, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { coordinate, LINE, work, type RoundsData, type Way } from './jobs/rounds.mjs';

const jobs = new URL('./jobs/rounds.mjs', import.meta.url);

const CASES: readonly (readonly [way: Way, ways: Way[], engine: 'wasm' | 'js', rounds: number, spinMicros: number])[] =
  [
    ['blocking', ['blocking', 'blocking'], 'wasm', 20_000, 20],
    ['blocking', ['blocking', 'blocking', 'blocking', 'blocking'], 'wasm', 5000, 0],
    ['patient', ['patient', 'blocking', 'patient'], 'wasm', 3000, 20],
    ['async', ['async', 'blocking', 'patient'], 'wasm', 3000, 20],
    ['async', ['async', 'async', 'async'], 'wasm', 3000, 0],
    ['blocking', ['blocking', 'patient', 'async'], 'js', 3000, 20],
  ];

test.each(CASES)(
  'no worker is admitted before its round or left behind (%s, %j, %s, %i rounds, spinMicros: %i)',
  async (way, ways, engine, rounds, spinMicros) => {
    const session = new Session(`rounds of a latch, ${way} and ${ways.join(', ')}, ${engine}`);
    const arena = Arena.create({
      maxPages: 16,
      engine: engine === 'js' ? jsEngine.with(jsBarrier) : undefined,
      policy: { spinMicros },
    });
    const starts = [
      CountdownLatch.create(1, { arena, name: 'even' }),
      CountdownLatch.create(1, { arena, name: 'odd' }),
    ];
    const end = CountdownLatch.create(ways.length, { arena, name: 'end' });
    const words = Region.create(4 * LINE * ways.length, { arena });
    const total = scale(rounds);
    const data: RoundsData = {
      arena: arena.handle,
      engine,
      starts: starts.map(({ handle }) => handle),
      end: end.handle,
      words: words.handle,
      ways,
      way,
      rounds: total,
    };
    const dump = (): unknown => ({
      latches: [...starts, end].map((latch) => latch.inspect()),
      words: [...words.int32].filter((_, index) => index % LINE === 0),
    });
    const tries = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<number>(ways.length, work.name, () => data);
      group.start<number>(1, coordinate.name, () => data);
      return group.results<number>();
    });
    session.done(total * (ways.length + 1), `${tries.join(' + ')} timeouts`);
    expect([end.count, ...starts.map(({ count }) => count)]).toEqual([ways.length, 1, 1]);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);
