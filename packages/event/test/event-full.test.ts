// Events in a full arena, and of an agent that has left it.

import { Arena, MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { ManualResetEvent } from '../src/index.ts';
import { expectEventAtRest } from './support/event-rest.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => ManualResetEvent.create({ arena: full })).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('wait() without a free element throws, and the event still works', async () => {
  const { arena: full, prepared: event } = fullArena((made) => ManualResetEvent.create({ arena: made }));
  const before = [event.inspect(), full.inspect()];
  for (const call of [() => event.wait(), () => event.tryWait(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => event.waitAsync(), () => event.waitAsync({ timeout: 5 })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([event.inspect(), full.inspect()])).toEqual(withoutAges(before));
  event.set();
  event.wait();
  expectEventAtRest(full, event);
});

test('every call of an agent that has left the arena throws', async () => {
  const left = Arena.create({ maxPages: 8 });
  const event = ManualResetEvent.create({ arena: left });
  left.leave();
  const calls = [
    () => event.set(),
    () => event.reset(),
    () => event.isSet,
    () => event.wait(),
    () => event.tryWait(),
    () => event.waitAsync(),
    () => event.inspect(),
    () => event.free(),
  ];
  for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
});
