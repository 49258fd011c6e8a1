import { Arena, Region } from '@sluice/core';
import { ManualResetEvent } from '@sluice/event';
import { scale, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { follow, LINE, publish, type GatesData, type Way } from './jobs/gates.mjs';

const jobs = new URL('./jobs/gates.mjs', import.meta.url);

const CASES: readonly (readonly [ways: Way[], rounds: number, spinMicros: number])[] = [
  [['blocking'], 5000, 20],
  [['blocking', 'patient', 'async'], 2000, 20],
  [['async', 'async', 'blocking'], 2000, 0],
];

test.each(CASES)(
  'each set() admits all waiters, which see the writes before it (%j, %i rounds, spinMicros: %i)',
  async (ways, rounds, spinMicros) => {
    const session = new Session(`gates of ${ways.join(', ')}`);
    const arena = Arena.create({ maxPages: 16, policy: { spinMicros } });
    const gates = ['even', 'odd'].map((name) => ManualResetEvent.create({ arena, name }));
    const words = Region.create(4 * LINE * (ways.length + 1), { arena });
    const total = scale(rounds);
    const data: GatesData = {
      arena: arena.handle,
      gates: gates.map(({ handle }) => handle),
      words: words.handle,
      ways,
      rounds: total,
    };
    const dump = (): unknown => ({
      gates: gates.map((gate) => gate.inspect()),
      words: [...words.int32].filter((_, index) => index % LINE === 0),
    });
    const tries = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<number>(ways.length, follow.name, () => data);
      group.start<number>(1, publish.name, () => data);
      return group.results<number>();
    });
    session.done(total * ways.length, `${tries.slice(0, ways.length).join(' + ')} timeouts`);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);
