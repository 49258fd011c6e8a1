// Events in a full arena.

import { expect, test } from 'vitest';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { AutoResetEvent } from '../src/index.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

test('create() in an arena without room changes nothing', () => {
  const { arena } = fullArena(() => undefined);
  const before = arena.inspect();
  expect(() => AutoResetEvent.create({ arena })).toThrow(REFUSED);
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
});

test('create() without room for the agent’s ledger changes nothing', () => {
  const { arena } = fullArena(() => undefined, 1);
  const before = arena.inspect();
  expect(() => AutoResetEvent.create({ arena })).toThrow(REFUSED);
  expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
});

test('a wait without a free element throws before the waiter is counted', async () => {
  const { arena, prepared: event } = fullArena((arena) => AutoResetEvent.create({ arena }));
  const before = [event.inspect(), arena.inspect(), officeAt(arena, event.handle.address)];
  for (const call of [() => event.wait(), () => event.tryWait(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => event.waitAsync(), () => event.waitAsync({ timeout: 5 })]) {
    await expect(call()).rejects.toMatchObject(FULL);
  }
  expect(withoutAges([event.inspect(), arena.inspect(), officeAt(arena, event.handle.address)])).toEqual(
    withoutAges(before),
  );
  event.signal();
  event.wait();
  expectAtRest(arena, event.handle);
});

test('all waiters can be aborted while every element is in use', async () => {
  const controllers = Array.from({ length: 16 }, () => new AbortController());
  const { arena, prepared } = fullArena((arena) => {
    const event = AutoResetEvent.create({ arena });
    return {
      event,
      waits: controllers.map(({ signal }) => event.waitAsync({ signal }).catch((reason: unknown) => reason)),
    };
  });
  expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
  for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('even');
  for (const controller of controllers) controller.abort('odd');
  expect(await Promise.all(prepared.waits)).toEqual(controllers.map((_, index) => (index % 2 === 0 ? 'even' : 'odd')));
  expectAtRest(arena, prepared.event.handle);
});
