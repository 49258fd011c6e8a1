import { AutoResetEvent } from '@sluice/auto-reset-event';
import { Arena, Region } from '@sluice/core';
import { shortOf, Session, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { LINE, SEEN, type PayloadData, type Way } from './jobs/payload.mjs';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const jobs = new URL('./jobs/payload.mjs', import.meta.url);

/** Only a polling consumer keeps finding collapsed signals: the other consumers mostly wait before the next signal. */
const CASES: readonly (readonly [ways: Way[], engine: 'wasm' | 'js', rounds: number])[] = [
  [['polling'], 'wasm', 300_000],
  [['polling'], 'js', 300_000],
  [['blocking'], 'wasm', 100_000],
  [['patient'], 'wasm', 100_000],
  [['async'], 'wasm', 30_000],
  [['polling', 'polling'], 'wasm', 3000],
  [['blocking', 'async', 'patient'], 'wasm', 20_000],
];

test.each(CASES)(
  'at least one of the consumers sees the last message of each burst (%j, %s)',
  async (ways, engine, rounds) => {
    const session = new Session(`messages for consumers (${ways.join(', ')}, ${engine})`);
    const arena = Arena.create({ maxPages: 16, engine: engineNamed(engine) });
    const event = AutoResetEvent.create({ arena });
    const words = Region.create(4 * (SEEN + ways.length * LINE), { arena });
    const data: PayloadData = {
      arena: arena.handle,
      engine,
      event: event.handle,
      words: words.handle,
      ways,
      rounds: shortOf(rounds),
      mostMs: shortOf(5000),
    };
    const results = await withWorkers({ jobs, seed: session.seed, dump: () => event.inspect() }, async (group) => {
      group.start(ways.length, 'consume', () => data);
      group.start(1, 'publish', () => data);
      return group.results<number>();
    });
    const sent = results.pop() ?? 0;
    const taken = results.reduce((sum, own) => sum + own, 0);
    session.done(sent, `${taken} signals taken`);
    // Each consumer passed the end signal on.
    expect(event.inspect()).toMatchObject({ signalled: true, waiters: [], abandoned: 0 });
    expect(taken).toBeLessThanOrEqual(sent + 1 + ways.length);
  },
);
