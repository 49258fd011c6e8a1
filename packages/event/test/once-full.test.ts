// Onces in a full arena, onces of an agent that has left it, and the arena's reports on onces.

import { Arena, HandleError, MisuseError } from '@sluice/core';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../core/test/support/full-arena.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Lazy, Once } from '../src/index.ts';
import { expectOnceAtRest } from './support/once-rest.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => Once.create({ arena: full })).toThrow(REFUSED);
  expect(() => Lazy.create({ arena: full, capacity: 100_000 })).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('a call that has to wait throws without a free element, and a call that runs the initialiser needs none', async () => {
  const { arena: full, prepared: once } = fullArena((made) => Once.create({ arena: made }));
  const before = [once.inspect(), full.inspect()];
  for (const call of [() => once.wait(), () => once.tryWait(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => once.waitAsync(), () => once.waitAsync({ timeout: 5 })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([once.inspect(), full.inspect()])).toEqual(withoutAges(before));
  once.run(() => undefined);
  once.wait();
  await once.waitAsync();
  expectOnceAtRest(full, once, 'done');
});

test('every call of an agent that has left the arena throws', async () => {
  for (const isDone of [false, true]) {
    const left = Arena.create({ maxPages: 8 });
    const [once, lazy] = [Once.create({ arena: left }), Lazy.create<number>({ arena: left })];
    if (isDone) once.run(() => undefined);
    if (isDone) lazy.get(() => 1);
    left.leave();
    const body = (): number => 1;
    const calls = [
      ...[
        () => once.run(body),
        () => once.tryRun(body),
        () => once.runAsync(() => undefined),
        () => once.isDone,
        () => once.wait(),
        () => once.tryWait(),
        () => once.waitAsync(),
      ],
      ...[() => once.close(), () => once.inspect(), () => once.free()],
      ...[
        () => lazy.get(body),
        () => lazy.tryGet(body),
        () => lazy.getAsync(body),
        () => lazy.value,
        () => lazy.wait(),
        () => lazy.tryWait(),
        () => lazy.waitAsync(),
        () => lazy.free(),
      ],
    ];
    for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
  }
});

test('arena.inspect() reports onces by kind, with the agent that runs an initialiser, and the waiters', async () => {
  const arena = Arena.create({ maxPages: 8 });
  const other = secondAgent(arena);
  const once = Once.create({ arena, name: 'table' });
  const lazy = Lazy.create({ arena, name: 'config', capacity: 100 });
  const theirs = openAs(other, once.handle, (handle) => Once.from(handle));
  const { blocks } = arena.inspect();
  expect(blocks.find(({ address }) => address === once.handle.address)).toEqual({
    kind: 'once',
    name: 'table',
    address: once.handle.address,
    bytes: 128,
    closed: false,
  });
  expect(blocks.find(({ address }) => address === lazy.handle.address)).toMatchObject({
    kind: 'lazy',
    name: 'config',
    bytes: 256,
  });
  let wait = Promise.resolve();
  once.run(() => {
    wait = theirs.waitAsync();
    const { agents } = arena.inspect();
    expect(agents.find(({ agent }) => agent === arena.agentId)?.holds).toMatchObject([
      { kind: 'once', name: 'table', permits: 1 },
    ]);
    expect(agents.find(({ agent }) => agent === other.agentId)?.waits).toMatchObject([
      { kind: 'once', name: 'table', how: 'async' },
    ]);
    expect(once.inspect().waiters).toMatchObject([{ agent: other.agentId, kind: 'async' }]);
  });
  // The waiter was admitted, and its task has not run yet.
  expect(() => once.free()).toThrow('is in use and cannot be freed');
  await wait;
  expect(inspect(once)).toBe("Once { name: 'table', state: 'done', waiting: 0 }");
  once.free();
  expect(inspect(once)).toBe('Once { freed: true }');
  expect(() => Once.from(once.handle)).toThrow(HandleError);
  lazy.free();
});

test('ten thousand onces, created and freed in turn, use no more memory than the first few', () => {
  const arena = Arena.create({ maxPages: 8 });
  const round = (): void => {
    const once = Once.create({ arena });
    once.run(() => undefined);
    once.free();
  };
  for (let count = 0; count < 100; count++) round();
  const { used } = arena.inspect();
  for (let count = 0; count < 10_000; count++) round();
  expect(arena.inspect().used).toBe(used);
});
