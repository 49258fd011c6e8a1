// The promises of an event to agents of one thread.

import { Arena, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { timersAddedBy } from '../../core/test/support/timers-added.ts';
import { AutoResetEvent } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);

describe.each(PLACES)('AutoResetEvent ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one event, one per agent. */
  function create(name?: string): { ours: AutoResetEvent; theirs: AutoResetEvent } {
    const ours = AutoResetEvent.create({ arena, name });
    return { ours, theirs: openAs(other, ours.handle, (handle) => AutoResetEvent.from(handle)) };
  }

  test('a new event is not signalled, and a signal without waiters is kept for the next wait', () => {
    const { ours, theirs } = create();
    expect([ours.tryWait(), theirs.tryWait(), ours.inspect().signalled]).toEqual([false, false, false]);
    theirs.signal();
    expect([ours.inspect().signalled, theirs.inspect().signalled]).toEqual([true, true]);
    ours.wait();
    expect([ours.tryWait(), theirs.tryWait(), ours.inspect().signalled]).toEqual([false, false, false]);
    expectAtRest(arena, ours.handle);
  });

  test('any number of signals without waiters lets one wait return', () => {
    const { ours, theirs } = create();
    for (let count = 0; count < 1000; count++) (count % 2 === 0 ? ours : theirs).signal();
    expect([theirs.tryWait(), ours.tryWait(), theirs.tryWait()]).toEqual([true, false, false]);
    expectAtRest(arena, ours.handle);
  });

  test('each form of waiting, and reset(), consumes the kept signal', async () => {
    const { ours, theirs } = create();
    const forms: readonly (() => unknown)[] = [
      () => ours.wait(),
      () => ours.tryWait(),
      () => ours.tryWait(5),
      () => ours.tryWait(Infinity),
      () => ours.waitAsync(),
      () => ours.waitAsync({ timeout: 0 }),
      () => ours.reset(),
    ];
    for (const wait of forms) {
      theirs.signal();
      expect(await wait()).not.toBe(false);
      expect(theirs.tryWait()).toBe(false);
      expectAtRest(arena, ours.handle);
    }
  });

  test('reset() clears a kept signal and returns whether there was one', () => {
    const { ours, theirs } = create();
    expect(ours.reset()).toBe(false);
    ours.signal();
    expect([theirs.reset(), ours.reset(), ours.tryWait()]).toEqual([true, false, false]);
    expectAtRest(arena, ours.handle);
  });

  test('reset() has no effect on a waiter', async () => {
    const { ours, theirs } = create();
    const wait = theirs.waitAsync();
    expect(ours.reset()).toBe(false);
    ours.signal();
    expect(ours.reset()).toBe(false);
    await wait;
    expectAtRest(arena, ours.handle);
  });

  test('each signal goes to the longest waiter, across two agents', async () => {
    const { ours, theirs } = create();
    const order: string[] = [];
    const names = ['ours 1', 'theirs 1', 'theirs 2', 'ours 2', 'ours 3', 'theirs 3'];
    const waits = names.map((name) =>
      (name.startsWith('ours') ? ours : theirs).waitAsync().then(() => order.push(name)),
    );
    for (let count = 1; count <= names.length; count++) {
      ours.signal();
      await waits[count - 1];
      expect(order).toEqual(names.slice(0, count));
    }
    expectAtRest(arena, ours.handle);
  });

  test('several signals in a row each go to another waiter, and one further signal is kept', async () => {
    const { ours, theirs } = create();
    const waits = Array.from({ length: 5 }, () => theirs.waitAsync());
    for (let count = 0; count < 6; count++) ours.signal();
    await Promise.all(waits);
    expect([ours.tryWait(), theirs.tryWait()]).toEqual([true, false]);
    expectAtRest(arena, ours.handle);
  });

  test('a signal granted to a waiter is not available to other calls, and the next signal is kept', async () => {
    const { ours, theirs } = create();
    const wait = theirs.waitAsync();
    ours.signal();
    expect([ours.tryWait(), theirs.tryWait(), ours.reset()]).toEqual([false, false, false]);
    ours.signal();
    expect(ours.tryWait()).toBe(true);
    await wait;
    expectAtRest(arena, ours.handle);
  });

  test('writes before a signal are visible after the wait, even if signals collapsed', () => {
    const { ours, theirs } = create();
    const inbox = Region.create(4, { arena }).int32;
    for (let round = 1; round <= 100; round++) {
      for (let part = 0; part < 3; part++) {
        inbox[0] = 10 * round + part;
        theirs.signal();
      }
      ours.wait();
      expect(inbox[0]).toBe(10 * round + 2);
    }
  });

  test("each instance reports the event's name and its own agent's arena", () => {
    const { ours, theirs } = create('work');
    expect([ours.name, theirs.name, ours.arena === arena, theirs.arena === other]).toEqual([
      'work',
      'work',
      true,
      true,
    ]);
  });

  test('tryWait(ms) returns false after its timeout, and not before', () => {
    const { ours } = create();
    const began = performance.now();
    expect(ours.tryWait(15)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(14);
    expectAtRest(arena, ours.handle);
  });

  test('a wait that is aborted or times out consumes no signal', async () => {
    const { ours, theirs } = create();
    const controller = new AbortController();
    const [gone, late] = [theirs.waitAsync({ signal: controller.signal }), ours.waitAsync({ timeout: 2 })];
    const stays = theirs.waitAsync();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError', code: 'SLUICE_TIMEOUT' });
    ours.signal();
    await stays;
    await expect(theirs.waitAsync({ timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    ours.signal();
    expect(theirs.tryWait()).toBe(true);
    expectAtRest(arena, ours.handle);
  });

  test('a signal that arrives before the timeout and the abort resolves the wait', async () => {
    const { ours, theirs } = create();
    const controller = new AbortController();
    const wait = theirs.waitAsync({ timeout: 5, signal: controller.signal });
    ours.signal();
    for (const end = performance.now() + 10; performance.now() < end; );
    controller.abort();
    await wait;
    expect(ours.tryWait()).toBe(false);
    expectAtRest(arena, ours.handle);
  });

  test('waitAsync({ timeout: 0 }) consumes a kept signal, or rejects without enqueueing', async () => {
    const { ours } = create();
    await expect(ours.waitAsync({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    ours.signal();
    await ours.waitAsync({ timeout: 0 });
    expectAtRest(arena, ours.handle);
  });

  test('waitAsync() with an aborted signal rejects and does not consume a kept signal', async () => {
    const { ours } = create();
    ours.signal();
    await expect(ours.waitAsync({ signal: AbortSignal.abort('before') })).rejects.toBe('before');
    expect(ours.tryWait()).toBe(true);
  });

  test('a signal after all waiters have timed out or aborted is kept', async () => {
    const { ours, theirs } = create();
    const controller = new AbortController();
    const waits = Array.from({ length: 9 }, (_, index) =>
      (index % 2 === 0 ? theirs : ours)
        .waitAsync(index % 3 === 0 ? { timeout: 1 } : { signal: controller.signal })
        .catch((reason: unknown) => reason),
    );
    controller.abort('all of you');
    expect((await Promise.all(waits)).filter((reason) => reason === 'all of you')).toHaveLength(6);
    expectAtRest(arena, ours.handle);
    ours.signal();
    expect([theirs.tryWait(), ours.tryWait()]).toEqual([true, false]);
  });

  test('thousands of waits, half of them aborted, use no more memory than the first few', async () => {
    const { ours, theirs } = create();
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = [1, 2].map(() => theirs.waitAsync({ signal: controller.signal }).catch(() => 'left'));
      const stays = [theirs.waitAsync(), ours.waitAsync()];
      controller.abort();
      ours.signal();
      theirs.signal();
      await Promise.all([...gone, ...stays]);
    };
    for (let warm = 0; warm < 3; warm++) await round();
    const { used } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect().used).toBe(used);
    expectAtRest(arena, ours.handle);
  });
});

test('an event created without options has no name and lives in the default arena', () => {
  const event = AutoResetEvent.create();
  expect([event.arena, event.name]).toEqual([Arena.default(), '']);
  event.signal();
  event.wait();
  event.free();
});

test('an async wait keeps the event loop alive until it ends, unless ref is false', async () => {
  const event = AutoResetEvent.create();
  const waits: Promise<void>[] = [];
  // Two rounds: if an ended wait still kept the process alive, the second round would add nothing.
  for (let round = 0; round < 2; round++) {
    const unreferenced = timersAddedBy(() =>
      waits.push(event.waitAsync({ ref: false }), event.waitAsync({ ref: false, timeout: 60_000 })),
    );
    expect(unreferenced).toBe(0);
    expect(timersAddedBy(() => waits.push(event.waitAsync()))).toBe(1);
    for (let count = 0; count < 3; count++) event.signal();
    await Promise.all(waits);
  }
  event.free();
});
