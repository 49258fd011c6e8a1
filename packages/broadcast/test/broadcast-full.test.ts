// Broadcasts in a full arena, and broadcasts of an agent that has left it.

import { Arena, MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { Broadcast } from '../src/index.ts';
import { expectAtRest } from './support/rest.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;
const create = (arena: Arena): Broadcast<number> => Broadcast.create({ arena, codec: 'int32', capacity: 2 });

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => create(full)).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('next() without a free element throws, and the broadcast still works', async () => {
  const { arena: full, prepared: stream } = fullArena((made) => create(made));
  const subscription = stream.subscribe();
  const before = [stream.inspect(), full.inspect()];
  // Long enough for a wait to begin, however slow the thread is.
  const timeout = 10_000;
  for (const call of [() => subscription.next(), () => subscription.tryNext(timeout)]) expect(call).toThrow(REFUSED);
  for (const call of [() => subscription.nextAsync(), () => subscription.nextAsync({ timeout })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([stream.inspect(), full.inspect()])).toEqual(withoutAges(before));
  stream.publish(2);
  expect(subscription.next()).toBe(2);
  expectAtRest(full, stream);
});

test('every call of an agent that has left the arena throws', async () => {
  const left = Arena.create({ maxPages: 8 });
  const stream = create(left);
  const subscription = stream.subscribe();
  left.leave();
  const calls = [
    ...[
      () => stream.publish(1),
      () => stream.subscribe(),
      () => stream.published,
      () => stream.capacity,
      () => stream.closed,
      () => stream.close(),
      () => stream.inspect(),
      () => stream.free(),
    ],
    ...[
      () => subscription.next(),
      () => subscription.tryNext(),
      () => subscription.tryNext(5),
      () => subscription.nextAsync(),
      () => subscription.behind,
    ],
  ];
  for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
});
