// Event counts and sequencers in a full arena, and after their agent has left the arena.

import { Arena, MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../../core/test/support/full-arena.ts';
import { EventCount, Sequencer } from '../../src/index.ts';
import { expectEventCountAtRest } from './support/event-count-rest.ts';
import { withoutAges } from '../../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => EventCount.create({ arena: full })).toThrow(REFUSED);
  // A sequencer has no waiters, so it needs one cache line and no ledger entry.
  if (lines === 0) expect(() => Sequencer.create({ arena: full })).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('await() without a free element throws, and the event count still works', async () => {
  const { arena: full, prepared: event } = fullArena((made) => EventCount.create({ arena: made }));
  const before = [event.inspect(), full.inspect()];
  for (const call of [() => event.await(1), () => event.tryAwait(1, 5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => event.awaitAsync(1), () => event.awaitAsync(1, { timeout: 5 })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([event.inspect(), full.inspect()])).toEqual(withoutAges(before));
  event.advance();
  event.await(1);
  expectEventCountAtRest(full, event);
});

test('every call of an agent that has left the arena throws', async () => {
  const left = Arena.create({ maxPages: 8 });
  const event = EventCount.create({ arena: left });
  const sequencer = Sequencer.create({ arena: left });
  left.leave();
  const calls = [
    () => event.advance(),
    () => event.read(),
    () => event.await(1),
    () => event.tryAwait(1),
    () => event.awaitAsync(1),
    () => event.inspect(),
    () => event.free(),
    () => sequencer.ticket(),
    () => sequencer.inspect(),
    () => sequencer.free(),
  ];
  for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
});
