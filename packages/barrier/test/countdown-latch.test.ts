// The promises of a latch to agents of one thread.

import { Arena, MisuseError, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { timersAddedBy } from '../../core/test/support/timers-added.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { CountdownLatch } from '../src/index.ts';
import './support/kinds.ts';
import { expectLatchAtRest } from './support/latch-rest.ts';

const MOST = 2 ** 31 - 1;
const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);

describe.each(PLACES)('CountdownLatch ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one latch, one per agent. */
  function create(count?: number, name?: string): { ours: CountdownLatch; theirs: CountdownLatch } {
    const ours = CountdownLatch.create(count, { arena, name });
    return { ours, theirs: openAs(other, ours.handle, (handle) => CountdownLatch.from(handle)) };
  }

  test('a wait at count 0 returns at once, in every form', async () => {
    const { ours, theirs } = create();
    for (const latch of [ours, theirs]) {
      latch.wait();
      expect([latch.tryWait(), latch.tryWait(5), latch.tryWait(Infinity), latch.count]).toEqual([true, true, true, 0]);
      await latch.waitAsync();
      await latch.waitAsync({ timeout: 0 });
    }
    expectLatchAtRest(arena, ours);
  });

  test('done() decreases the count, and waiters are admitted at 0', async () => {
    const { ours, theirs } = create(3);
    let isOver = false;
    const wait = theirs.waitAsync().then(() => (isOver = true));
    ours.done();
    theirs.done();
    await Promise.resolve();
    expect([isOver, ours.count, theirs.count, ours.tryWait(), theirs.tryWait(1)]).toEqual([false, 1, 1, false, false]);
    ours.done();
    await wait;
    expect([ours.count, theirs.tryWait()]).toEqual([0, true]);
    expectLatchAtRest(arena, ours);
  });

  test('done(n) and add(n) change the count by n', () => {
    const { ours, theirs } = create(1);
    ours.add(4);
    theirs.add();
    expect(ours.count).toBe(6);
    theirs.done(5);
    expect([ours.count, ours.tryWait()]).toEqual([1, false]);
    ours.done();
    expect(theirs.tryWait()).toBe(true);
    expectLatchAtRest(arena, ours);
  });

  test('the count reaches 2^31 - 1 and returns to 0', () => {
    const { ours, theirs } = create(MOST);
    expect(theirs.count).toBe(MOST);
    expect(() => ours.add()).toThrow(RangeError);
    expect(() => ours.add(MOST)).toThrow(RangeError);
    expect(ours.count).toBe(MOST);
    ours.done(MOST);
    theirs.add(MOST);
    theirs.done(MOST - 1);
    expect([ours.count, ours.tryWait()]).toEqual([1, false]);
    ours.done();
    expectLatchAtRest(arena, ours);
  });

  test('done() below count 0 throws and changes nothing', () => {
    const { ours, theirs } = create(2, 'parts');
    expect(() => theirs.done(3)).toThrow(
      "CountdownLatch 'parts' cannot be counted down by 3: its count is 2. It was not changed.",
    );
    expect(ours.count).toBe(2);
    ours.done(2);
    expect(() => ours.done()).toThrow(MisuseError);
    expect([ours.count, ours.tryWait()]).toEqual([0, true]);
    expectLatchAtRest(arena, ours);
  });

  test('the done() that reaches 0 admits all waiters of both agents, and no earlier done() admits one', async () => {
    const { ours, theirs } = create(2);
    let admitted = 0;
    const waits = Array.from({ length: 9 }, (_, index) =>
      (index % 2 === 0 ? ours : theirs).waitAsync().then(() => (admitted += 1)),
    );
    expect([ours.waiting, theirs.waiting]).toEqual([9, 9]);
    ours.done();
    await new Promise((later) => setImmediate(later));
    expect([admitted, ours.waiting]).toEqual([0, 9]);
    theirs.done();
    await Promise.all(waits);
    expect([admitted, ours.waiting]).toEqual([9, 0]);
    expectLatchAtRest(arena, ours);
  });

  test('add() at count 0 begins a new round, even before the waiters of the last round have run', async () => {
    const { ours, theirs } = create(1);
    const order: string[] = [];
    const first = theirs.waitAsync().then(() => order.push('first'));
    ours.done();
    ours.add();
    const second = theirs.waitAsync().then(() => order.push('second'));
    await first;
    expect([order, ours.count, ours.tryWait()]).toEqual([['first'], 1, false]);
    ours.done();
    await second;
    expect(order).toEqual(['first', 'second']);
    expectLatchAtRest(arena, ours);
  });

  test('each of a thousand rounds admits only its own waiters', async () => {
    const { ours, theirs } = create();
    for (let round = 0; round < 1000; round++) {
      ours.add(2);
      const wait = theirs.waitAsync();
      theirs.done();
      expect(theirs.tryWait()).toBe(false);
      ours.done();
      await wait;
    }
    expectLatchAtRest(arena, ours);
  });

  test('writes before done() are visible after the wait', () => {
    const { ours, theirs } = create();
    const parts = Region.create(8, { arena }).int32;
    for (let round = 1; round <= 100; round++) {
      ours.add(2);
      for (const part of [0, 1]) {
        parts[part] = round;
        theirs.done();
      }
      ours.wait();
      expect([...parts]).toEqual([round, round]);
    }
  });

  test('tryWait(ms) returns false after its timeout, and not before', () => {
    const { ours } = create(1);
    const began = performance.now();
    expect(ours.tryWait(15)).toBe(false);
    expect(performance.now() - began).toBeGreaterThanOrEqual(14);
    expect(ours.waiting).toBe(0);
    ours.done();
    expectLatchAtRest(arena, ours);
  });

  test('a wait that times out or is aborted does not affect the other waiters', async () => {
    const { ours, theirs } = create(1, 'parts');
    const controller = new AbortController();
    const [gone, late] = [theirs.waitAsync({ signal: controller.signal }), ours.waitAsync({ timeout: 2 })];
    const stays = theirs.waitAsync();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      code: 'SLUICE_TIMEOUT',
      message: "CountdownLatch 'parts' did not reach 0 within 2 ms: count 1, 1 waiter in line. It was not changed.",
    });
    expect(ours.waiting).toBe(1);
    ours.done();
    await stays;
    expectLatchAtRest(arena, ours);
  });

  test('a wait whose round has ended resolves despite a later timeout or abort', async () => {
    const { ours, theirs } = create(1);
    const controller = new AbortController();
    const wait = theirs.waitAsync({ timeout: 5, signal: controller.signal });
    ours.done();
    for (const end = performance.now() + 10; performance.now() < end; );
    controller.abort();
    await wait;
    expectLatchAtRest(arena, ours);
  });

  test('waitAsync() rejects with an aborted signal at any count, and with { timeout: 0 } at a count above 0', async () => {
    const { ours } = create(1);
    await expect(ours.waitAsync({ timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    ours.done();
    await expect(ours.waitAsync({ signal: AbortSignal.abort('before') })).rejects.toBe('before');
    expectLatchAtRest(arena, ours);
  });

  test('thousands of waits that time out or are aborted in one round use no more memory than the first few', async () => {
    const { ours, theirs } = create(1);
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = [ours, theirs, ours].map((latch) =>
        latch.waitAsync({ signal: controller.signal }).catch(() => 'left'),
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
    ours.done();
    await stays;
    expectLatchAtRest(arena, ours);
  });

  test('wait() may block beside async waits of its agent, since all are admitted at once', async () => {
    const { ours, theirs } = create(1);
    const wait = ours.waitAsync();
    expect(ours.tryWait(2)).toBe(false);
    theirs.done();
    ours.wait();
    expect(ours.tryWait(Infinity)).toBe(true);
    await wait;
    expectLatchAtRest(arena, ours);
  });

  test('claim() does not change the count, and this agent’s done() uses up its claims', () => {
    const { ours, theirs } = create(3);
    theirs.claim(2);
    expect([ours.count, ours.inspect().claimedBy]).toEqual([3, [other.agentId]]);
    theirs.done();
    expect(ours.inspect()).toMatchObject({ count: 2, claimedBy: [other.agentId] });
    theirs.done();
    expect(ours.inspect()).toMatchObject({ count: 1, claimedBy: [] });
    ours.done();
    expectLatchAtRest(arena, ours);
  });

  test('claim() throws for claims above the count, and claims end with their round', () => {
    const { ours, theirs } = create(2);
    theirs.claim();
    expect(() => theirs.claim(2)).toThrow('2 more claims would exceed its count of 2');
    ours.done(2);
    expect(() => theirs.claim()).toThrow(MisuseError);
    ours.add(3);
    theirs.claim(3);
    expect(() => theirs.claim()).toThrow(MisuseError);
    theirs.done(3);
    expectLatchAtRest(arena, ours);
  });

  test("name and arena return the latch's name and this agent's arena", () => {
    const { ours, theirs } = create(0, 'parts');
    expect([ours.name, theirs.name, ours.arena === arena, theirs.arena === other, String(theirs)]).toEqual([
      'parts',
      'parts',
      true,
      true,
      "CountdownLatch 'parts'",
    ]);
  });
});

test('a latch created without arguments has count 0 and no name, and lives in the default arena', () => {
  const latch = CountdownLatch.create();
  expect([latch.arena, latch.name, latch.count]).toEqual([Arena.default(), '', 0]);
  latch.free();
});

test('an async wait keeps the event loop alive until it ends, unless ref is false', async () => {
  const waits: Promise<void>[] = [];
  // Two rounds: if an ended wait still kept the process alive, the second round would add nothing.
  for (let round = 0; round < 2; round++) {
    const latch = CountdownLatch.create(1);
    const unreferenced = timersAddedBy(() =>
      waits.push(latch.waitAsync({ ref: false }), latch.waitAsync({ ref: false, timeout: 60_000 })),
    );
    expect(unreferenced).toBe(0);
    expect(timersAddedBy(() => waits.push(latch.waitAsync()))).toBe(1);
    latch.done();
    await Promise.all(waits);
    latch.free();
  }
});
