// The promises of an event count and of a sequencer to agents of one thread.

import { Arena, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../../core/src/arena/arena.ts';
import { GRANT } from '../../../core/src/kernel/layout.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { EventCount, Sequencer, type EventCountOptions } from '../../src/index.ts';
import { expectEventCountAtRest } from './support/event-count-rest.ts';
import './support/kinds.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);
const turns = (): Promise<void> => new Promise((later) => setImmediate(later));

describe.each(PLACES)('EventCount ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one event count, one per agent. */
  function create(options: EventCountOptions = {}): { ours: EventCount; theirs: EventCount } {
    const ours = EventCount.create({ arena, ...options });
    return { ours, theirs: openAs(other, ours.handle, (handle) => EventCount.from(handle)) };
  }

  test('a wait returns at once if the count has reached the value, in every form', async () => {
    const { ours, theirs } = create();
    ours.advance(3);
    for (const event of [ours, theirs]) {
      event.await(0);
      event.await(3);
      expect([event.tryAwait(3), event.tryAwait(2, 5), event.tryAwait(4), event.tryAwait(4, 1), event.read()]).toEqual([
        true,
        true,
        false,
        false,
        3,
      ]);
      await event.awaitAsync(3);
      await event.awaitAsync(1, { timeout: 0 });
    }
    expectEventCountAtRest(arena, ours);
  });

  test('advance() admits the waiters of the values up to the new count, of both agents, and no other', async () => {
    const { ours, theirs } = create();
    const admitted: number[] = [];
    const waits = [5, 1, 3, 2, 4, 2].map((value, index) =>
      (index % 2 === 0 ? ours : theirs).awaitAsync(value).then(() => admitted.push(value)),
    );
    await turns();
    expect([admitted, ours.waiting]).toEqual([[], 6]);
    theirs.advance();
    await waits[1];
    expect([admitted, ours.waiting]).toEqual([[1], 5]);
    ours.advance(3);
    await Promise.all(waits.slice(1));
    expect([admitted.slice(1).sort(), theirs.waiting]).toEqual([[2, 2, 3, 4], 1]);
    ours.advance();
    await Promise.all(waits);
    expectEventCountAtRest(arena, ours);
  });

  test('advance() by more than the number of buckets admits all waiters on the way', async () => {
    const { ours, theirs } = create();
    const values = [1, 2, 255, 256, 257, 999, 1000];
    const waits = values.map((value) => theirs.awaitAsync(value));
    ours.advance(999);
    await Promise.all(waits.slice(0, -1));
    expect(theirs.waiting).toBe(1);
    ours.advance(2 ** 31 - 1);
    await Promise.all(waits);
    expect(ours.read()).toBe(999 + 2 ** 31 - 1);
    expectEventCountAtRest(arena, ours);
  });

  test('an agent that waits for a later value does not wake', async () => {
    const { ours, theirs } = create();
    const { parks } = contextOf(other);
    const wait = theirs.awaitAsync(1000);
    await turns();
    for (let count = 1; count < 1000; count++) ours.advance();
    await turns();
    expect([contextOf(other).parks - parks, theirs.waiting]).toEqual([0, 1]);
    ours.advance();
    await wait;
    expectEventCountAtRest(arena, ours);
  });

  test('a later wait for a smaller value ends first', async () => {
    const { ours } = create();
    const order: number[] = [];
    const waits = [2, 1].map((value) => ours.awaitAsync(value).then(() => order.push(value)));
    ours.advance();
    await waits[1];
    expect(order).toEqual([1]);
    ours.advance();
    await Promise.all(waits);
    expect(order).toEqual([1, 2]);
    expectEventCountAtRest(arena, ours);
  });

  test('writes before advance() are visible after the wait', () => {
    const { ours, theirs } = create();
    const parts = Region.create(4, { arena }).int32;
    for (let round = 1; round <= 100; round++) {
      parts[0] = round;
      theirs.advance();
      ours.await(round);
      expect(parts[0]).toBe(round);
    }
  });

  test('a wait that times out or is aborted does not affect the other waiters', async () => {
    const { ours, theirs } = create({ name: 'written' });
    ours.advance(7);
    const controller = new AbortController();
    const [gone, late] = [theirs.awaitAsync(8, { signal: controller.signal }), ours.awaitAsync(9, { timeout: 2 })];
    const stays = theirs.awaitAsync(8);
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      code: 'SLUICE_TIMEOUT',
      message: "EventCount 'written' did not reach 9 within 2 ms: count 7, 1 waiter in line. It was not changed.",
    });
    expect([ours.waiting, ours.tryAwait(8, 1)]).toEqual([1, false]);
    ours.advance();
    await stays;
    expectEventCountAtRest(arena, ours);
  });

  test('a wait that was admitted resolves despite a later timeout or abort', async () => {
    const { ours, theirs } = create();
    const controller = new AbortController();
    const wait = theirs.awaitAsync(1, { timeout: 5, signal: controller.signal });
    ours.advance();
    for (const end = performance.now() + 10; performance.now() < end; );
    controller.abort();
    await wait;
    expectEventCountAtRest(arena, ours);
  });

  test('thousands of aborted waits use no more memory than the first few', async () => {
    const { ours, theirs } = create();
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = [ours, theirs, ours].map((event, index) =>
        event.awaitAsync(1 + index, { signal: controller.signal }).catch(() => 'left'),
      );
      controller.abort();
      await Promise.all(gone);
    };
    const stays = theirs.awaitAsync(1);
    // Until each agent has gathered the elements of its cancelled waits.
    for (let warm = 0; warm < 600; warm++) await round();
    const { used, elements } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect()).toMatchObject({ used, elements: { total: elements.total, waiting: 1 } });
    ours.advance();
    await stays;
    expectEventCountAtRest(arena, ours);
  });

  test('await() may block beside async waits of its agent', async () => {
    const { ours, theirs } = create();
    const wait = ours.awaitAsync(2);
    expect(ours.tryAwait(1, 2)).toBe(false);
    theirs.advance();
    ours.await(1);
    theirs.advance();
    await wait;
    expectEventCountAtRest(arena, ours);
  });

  test('advance() beyond 2^53 - 1 throws and changes nothing', () => {
    const { ours, theirs } = create({ name: 'long' });
    contextOf(arena).words.store64(ours.handle.address + GRANT, 2n ** 53n - 2n);
    expect(() => theirs.advance(2)).toThrow(
      "EventCount 'long' cannot advance by 2: its count is 9007199254740990, and the maximum is 9007199254740991. It was not changed.",
    );
    ours.advance();
    theirs.await(2 ** 53 - 1);
    expect(() => ours.advance()).toThrow(RangeError);
    expect(ours.read()).toBe(2 ** 53 - 1);
  });

  test('the properties and inspect() report name, arena and count', () => {
    const { ours, theirs } = create({ name: 'written' });
    theirs.advance(2);
    expect([ours.name, theirs.arena === other, String(theirs)]).toEqual(['written', true, "EventCount 'written'"]);
    expect(theirs.inspect()).toEqual({ kind: 'event-count', name: 'written', count: 2, waiters: [] });
    ours.free();
    expect(() => theirs.read()).toThrow('was freed');
  });

  test('each ticket of a sequencer is drawn once, in order', () => {
    const ours = Sequencer.create({ arena, name: 'order' });
    const theirs = openAs(other, ours.handle, (handle) => Sequencer.from(handle));
    expect([ours.ticket(), theirs.ticket(), ours.ticket(), theirs.ticket()]).toEqual([0, 1, 2, 3]);
    expect([theirs.inspect(), String(ours)]).toEqual([
      { kind: 'sequencer', name: 'order', next: 4 },
      "Sequencer 'order'",
    ]);
    ours.free();
    expect(() => theirs.ticket()).toThrow("The sequencer 'order' was freed");
  });

  test('a sequencer and an event count make a turn for each agent, in the order of the tickets', async () => {
    const { ours, theirs } = create();
    const sequencer = Sequencer.create({ arena });
    const order: number[] = [];
    const turn = async (event: EventCount): Promise<void> => {
      const ticket = sequencer.ticket();
      await event.awaitAsync(ticket);
      order.push(ticket);
      await turns();
      event.advance();
    };
    await Promise.all([ours, theirs, ours, theirs, ours].map(turn));
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expectEventCountAtRest(arena, ours);
  });
});
