import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Arena, Region } from '@sluice/core';
import { Session, soakSize, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import { takeTurns, type PingPongData } from './jobs/ping-pong.mjs';

const jobs = new URL('./jobs/ping-pong.mjs', import.meta.url);
type Way = PingPongData['way'];

const PAIRS: readonly (readonly [first: Way, second: Way, rounds: number, spinMicros: number])[] = [
  ['blocking', 'blocking', 100_000, 20],
  ['blocking', 'blocking', 30_000, 0],
  ['patient', 'patient', 50_000, 20],
  ['async', 'blocking', 20_000, 20],
  ['async', 'async', 20_000, 20],
];

test.each(PAIRS)(
  'two workers (%s, %s) take turns, each woken by the other (%i rounds, spinMicros: %i)',
  async (first, second, rounds, spinMicros) => {
    const session = new Session(`ping-pong, ${first} and ${second}, ${spinMicros} us to spin`);
    const arena = Arena.create({ maxPages: 16, policy: { spinMicros } });
    const events = [
      AutoResetEvent.create({ arena, name: 'ping' }),
      AutoResetEvent.create({ arena, name: 'pong' }),
    ] as const;
    const words = Region.create(4, { arena });
    const total = soakSize(rounds / 5, rounds * 10);
    const data = (parity: 0 | 1, way: Way): PingPongData => ({
      mine: events[parity].handle,
      theirs: events[parity === 0 ? 1 : 0].handle,
      words: words.handle,
      rounds: total,
      parity,
      way,
    });
    const dump = (): unknown => ({ events: events.map((event) => event.inspect()), turn: words.int32[0] });
    const tries = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<number>(1, takeTurns.name, () => data(0, first));
      group.start<number>(1, takeTurns.name, () => data(1, second));
      events[0].signal();
      return group.results<number>();
    });
    session.done(2 * total, `${tries.join(' + ')} timeouts`);
    expect(words.int32[0]).toBe(2 * total);
    // The last turn signalled the first worker, which has ended.
    expectOfficeAtRest(arena, events[0].handle, 1, 1n);
    expectOfficeAtRest(arena, events[1].handle);
  },
);
