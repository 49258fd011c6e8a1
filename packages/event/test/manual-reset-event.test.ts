// The promises of an event to agents of one thread.

import { Arena, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { ManualResetEvent, type ManualResetEventOptions } from '../src/index.ts';
import './support/kinds.ts';
import { expectEventAtRest } from './support/event-rest.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);
const turns = (): Promise<void> => new Promise((later) => setImmediate(later));

describe.each(PLACES)('ManualResetEvent ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one event, one per agent. */
  function create(options: ManualResetEventOptions = {}): { ours: ManualResetEvent; theirs: ManualResetEvent } {
    const ours = ManualResetEvent.create({ arena, ...options });
    return { ours, theirs: openAs(other, ours.handle, (handle) => ManualResetEvent.from(handle)) };
  }

  test('a wait returns at once while the event is set, in every form, and does not reset it', async () => {
    const { ours, theirs } = create({ isSet: true });
    for (const event of [ours, theirs]) {
      event.wait();
      expect([event.tryWait(), event.tryWait(5), event.tryWait(Infinity), event.isSet]).toEqual([
        true,
        true,
        true,
        true,
      ]);
      await event.waitAsync();
      await event.waitAsync({ timeout: 0 });
    }
    expectEventAtRest(arena, ours);
  });

  test('reset() returns whether the event was set, and later waits wait', () => {
    const { ours, theirs } = create();
    expect([ours.isSet, ours.tryWait(), ours.reset()]).toEqual([false, false, false]);
    ours.set();
    expect([theirs.isSet, theirs.reset(), theirs.reset(), ours.tryWait(), ours.tryWait(1)]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expectEventAtRest(arena, ours);
  });

  test('set() admits all waiters of both agents, and none is admitted before', async () => {
    const { ours, theirs } = create();
    let admitted = 0;
    const waits = Array.from({ length: 9 }, (_, index) =>
      (index % 2 === 0 ? ours : theirs).waitAsync().then(() => (admitted += 1)),
    );
    await turns();
    expect([admitted, ours.waiting]).toEqual([0, 9]);
    theirs.set();
    theirs.set();
    await Promise.all(waits);
    expect([admitted, ours.waiting, ours.isSet]).toEqual([9, 0, true]);
    expectEventAtRest(arena, ours);
  });

  test('set() admits all current waiters even if reset() follows, and later waits wait for the next set()', async () => {
    const { ours, theirs } = create();
    const order: string[] = [];
    const first = [ours, theirs].map((event) => event.waitAsync().then(() => order.push('first')));
    ours.set();
    ours.reset();
    const second = theirs.waitAsync().then(() => order.push('second'));
    await Promise.all(first);
    await turns();
    expect([order, ours.isSet, ours.waiting]).toEqual([['first', 'first'], false, 1]);
    ours.set();
    await second;
    expectEventAtRest(arena, ours);
  });

  test('writes before set() are visible after the wait, even if the event was already set', () => {
    const { ours, theirs } = create();
    const parts = Region.create(4, { arena }).int32;
    for (let round = 1; round <= 100; round++) {
      parts[0] = round;
      theirs.set();
      ours.wait();
      expect(parts[0]).toBe(round);
      if (round % 2 === 0) ours.reset();
    }
  });

  test('a wait that times out or is aborted does not affect the other waiters', async () => {
    const { ours, theirs } = create({ name: 'ready' });
    const controller = new AbortController();
    const [gone, late] = [theirs.waitAsync({ signal: controller.signal }), ours.waitAsync({ timeout: 2 })];
    const stays = theirs.waitAsync();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      code: 'SLUICE_TIMEOUT',
      message: "ManualResetEvent 'ready' was not set within 2 ms: 1 waiter in line. It was not changed.",
    });
    expect([ours.waiting, ours.tryWait(1)]).toEqual([1, false]);
    ours.set();
    await stays;
    expectEventAtRest(arena, ours);
  });

  test('a wait that was admitted resolves despite a later timeout or abort', async () => {
    const { ours, theirs } = create();
    const controller = new AbortController();
    const wait = theirs.waitAsync({ timeout: 5, signal: controller.signal });
    ours.set();
    for (const end = performance.now() + 10; performance.now() < end; );
    controller.abort();
    await wait;
    expectEventAtRest(arena, ours);
  });

  test('thousands of aborted waits use no more memory than the first few', async () => {
    const { ours, theirs } = create();
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = [ours, theirs, ours].map((event) =>
        event.waitAsync({ signal: controller.signal }).catch(() => 'left'),
      );
      controller.abort();
      await Promise.all(gone);
    };
    const stays = theirs.waitAsync();
    // Until each agent has gathered the elements of its cancelled waits.
    for (let warm = 0; warm < 600; warm++) await round();
    const { used, elements } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect()).toMatchObject({ used, elements: { total: elements.total, waiting: 1 } });
    ours.set();
    await stays;
    expectEventAtRest(arena, ours);
  });

  test('wait() may block beside async waits of its agent, since all are admitted at once', async () => {
    const { ours, theirs } = create();
    const wait = ours.waitAsync();
    expect(ours.tryWait(2)).toBe(false);
    theirs.set();
    expect(ours.tryWait(Infinity)).toBe(true);
    await wait;
    expectEventAtRest(arena, ours);
  });

  test('the properties and inspect() report name, arena and state', () => {
    const { ours, theirs } = create({ name: 'ready', isSet: true });
    expect([ours.name, theirs.arena === other, String(theirs)]).toEqual(['ready', true, "ManualResetEvent 'ready'"]);
    expect(theirs.inspect()).toEqual({ kind: 'manual-reset-event', name: 'ready', isSet: true, waiters: [] });
    ours.free();
    expect(() => theirs.isSet).toThrow('was freed');
  });
});
