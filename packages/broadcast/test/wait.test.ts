// The promises of a broadcast with overflow 'wait' to agents of one thread.

import { Arena, hasCode } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { Broadcast, type BroadcastOptions, type Subscription } from '../src/index.ts';
import type { BroadcastKernel } from '../src/kinds.ts';
import { expectAtRest } from './support/rest.ts';
import './support/kinds.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** Returns all values that are there. */
function rest<T>(subscription: Subscription<T>): T[] {
  const values: T[] = [];
  for (let value = subscription.tryNext(); value !== undefined; value = subscription.tryNext()) values.push(value);
  return values;
}

/** Returns the code of the error that `act` throws, or rejects with. */
async function codeOf(act: () => unknown): Promise<string> {
  try {
    await act();
    return 'none';
  } catch (failure) {
    return String((failure as { code?: unknown }).code);
  }
}

describe.each(PLACES)("Broadcast with overflow 'wait' ($name)", ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one broadcast, one per agent. */
  function create(options: BroadcastOptions<number> = {}): { ours: Broadcast<number>; theirs: Broadcast<number> } {
    const ours = Broadcast.create({
      arena,
      codec: 'int32',
      capacity: 4,
      overflow: 'wait',
      ...options,
    } as BroadcastOptions<number>);
    return { ours, theirs: openAs(other, ours.handle, (handle) => Broadcast.from<number>(handle)) };
  }

  test('tryPublish() fails while a subscription is a whole capacity behind, and succeeds after it has read a value', () => {
    const { ours, theirs } = create();
    const [fast, slow] = [ours.subscribe(), theirs.subscribe()];
    for (const n of numbers(1, 4)) expect(ours.tryPublish(n)).toBe(true);
    expect([ours.tryPublish(5), theirs.tryPublish(5), ours.published]).toEqual([false, false, 4]);
    expect(rest(fast)).toEqual([1, 2, 3, 4]);
    expect(ours.tryPublish(5)).toBe(false);
    expect(slow.next()).toBe(1);
    expect([theirs.tryPublish(5), ours.tryPublish(6)]).toEqual([true, false]);
    expect([rest(fast), rest(slow), fast.lost, slow.lost]).toEqual([[5], [2, 3, 4, 5], 0, 0]);
    expectAtRest(arena, ours);
  });

  test.each([1, 2, 4, 64])('with a capacity of %i, no value is lost when the ring wraps many times', (capacity) => {
    const { ours, theirs } = create({ capacity });
    const subscriptions = [ours.subscribe(), theirs.subscribe(), theirs.subscribe()];
    const got: number[][] = [[], [], []];
    for (let n = 1; n <= 300; n++) {
      while (!(n % 2 === 0 ? ours : theirs).tryPublish(n)) {
        for (const [at, subscription] of subscriptions.entries()) {
          const value = subscription.tryNext();
          if (value !== undefined && (at + n) % 3 !== 9) got[at]?.push(value);
        }
      }
    }
    for (const [at, subscription] of subscriptions.entries())
      expect([...(got[at] ?? []), ...rest(subscription)]).toEqual(numbers(1, 300));
    expectAtRest(arena, ours);
  });

  test('publish() without subscriptions does not wait, and the newest values are kept', () => {
    const { ours } = create();
    for (const n of numbers(1, 50)) ours.publish(n);
    expect([rest(ours.subscribe({ from: 'oldest' })), rest(ours.subscribe())]).toEqual([[48, 49, 50], []]);
  });

  test('a subscription that begins while the ring is full gets every later value', () => {
    const { ours, theirs } = create();
    const first = ours.subscribe();
    for (const n of numbers(1, 4)) ours.publish(n);
    const [next, oldest] = [theirs.subscribe(), theirs.subscribe({ from: 'oldest' })];
    expect([next.behind, oldest.behind, first.behind]).toEqual([0, 3, 4]);
    expect([first.next(), ours.tryPublish(5), ours.tryPublish(6)]).toEqual([1, true, false]);
    expect([rest(first), ours.tryPublish(6)]).toEqual([[2, 3, 4, 5], false]);
    expect([rest(oldest), rest(next)]).toEqual([[2, 3, 4, 5], [5]]);
    for (const n of numbers(6, 9)) expect(ours.tryPublish(n)).toBe(true);
    for (const subscription of [first, next, oldest])
      expect([rest(subscription), subscription.lost]).toEqual([[6, 7, 8, 9], 0]);
  });

  test('several publishAsync() calls, of two agents, wait for room and publish in call order', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const slow = ours.subscribe();
    ours.publish(1);
    const over: number[] = [];
    const calls = [2, 3, 4, 5].map((n) => (n % 2 === 0 ? ours : theirs).publishAsync(n).then(() => over.push(n)));
    await turn();
    expect([over, ours.tryPublish(9), ours.inspect().publishers.length, ours.waiting]).toEqual([[], false, 4, 4]);
    for (const n of numbers(1, 5)) expect(await slow.nextAsync()).toBe(n);
    await Promise.all(calls);
    expect(over).toEqual([2, 3, 4, 5]);
    expectAtRest(arena, ours);
  });

  test('a publisher that times out or is aborted publishes nothing, and the next publisher continues', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const slow = theirs.subscribe();
    ours.publish(1);
    const controller = new AbortController();
    const late = ours.publishAsync(2, { timeout: 20 });
    const aborted = theirs.publishAsync(3, { signal: controller.signal });
    const stays = theirs.publishAsync(4);
    controller.abort('enough');
    await expect(aborted).rejects.toBe('enough');
    await expect(late).rejects.toThrow('had no room within 20 ms: 1 published, held back by agent 2');
    expect(slow.next()).toBe(1);
    await stays;
    expect([slow.next(), slow.tryNext(), ours.published]).toEqual([4, undefined, 2]);
    await expect(ours.publishAsync(5, { signal: AbortSignal.abort('before') })).rejects.toBe('before');
    await ours.publishAsync(5);
    await expect(ours.publishAsync(6, { timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect([ours.tryPublish(6, 5), ours.published]).toEqual([false, 3]);
    expectAtRest(arena, ours);
  });

  test('a publisher that gets room right before its wait begins publishes, even if it is aborted before its promise settles', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const slow = theirs.subscribe();
    ours.publish(1);
    const context = contextOf(arena);
    const { budget } = context;
    let turns = (): void => undefined;
    const nextTurn = new Promise<void>((resolve) => (turns = resolve));
    const kernel = context.kernel as unknown as { enqueueForBroadcastRoom: BroadcastKernel['enqueueForBroadcastRoom'] };
    const { enqueueForBroadcastRoom } = kernel;
    try {
      Object.assign(context, { budget: { spend: () => nextTurn } });
      kernel.enqueueForBroadcastRoom = (...all: Parameters<typeof enqueueForBroadcastRoom>) => {
        slow.tryNext();
        return enqueueForBroadcastRoom(...all);
      };
      const controller = new AbortController();
      const call = ours.publishAsync(2, { signal: controller.signal });
      expect(ours.published).toBe(2);
      controller.abort('too late');
      turns();
      await call;
    } finally {
      kernel.enqueueForBroadcastRoom = enqueueForBroadcastRoom;
      Object.assign(context, { budget });
    }
    expect(slow.tryNext()).toBe(2);
    expectAtRest(arena, ours);
  });

  test('close() ends the waits of publishers, which publish nothing', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const slow = ours.subscribe();
    ours.publish(1);
    const waits = [ours.publishAsync(2), theirs.publishAsync(3), ours.publishAsync(4)].map((wait) =>
      wait.then(
        () => 'published',
        (failure: unknown) => hasCode(failure, 'SLUICE_CLOSED'),
      ),
    );
    await turn();
    ours.close();
    expect(await Promise.all(waits)).toEqual([true, true, true]);
    ours.close();
    theirs.close();
    expect([slow.next(), ours.published]).toEqual([1, 1]);
    expect(() => slow.next()).toThrow('is closed. No value was taken.');
    expect(() => ours.tryPublish(5)).toThrow('is closed. The value was not published.');
    await expect(ours.publishAsync(5)).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expectAtRest(arena, ours);
    ours.free();
  });

  test('close() of a subscription lets publishers continue, and ends its calls and its loops', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const [fast, slow] = [ours.subscribe(), theirs.subscribe()];
    ours.publish(1);
    const wait = ours.publishAsync(2);
    expect([fast.next(), ours.inspect().subscriptions]).toMatchObject([
      1,
      [
        { agent: 1, behind: 0 },
        { agent: 2, behind: 1 },
      ],
    ]);
    await turn();
    slow.close();
    slow.close();
    await wait;
    expect([fast.next(), slow.behind, ours.inspect().subscriptions]).toMatchObject([2, 0, [{ agent: 1, behind: 0 }]]);
    expect(() => slow.next()).toThrow('the subscription is closed. No value was taken.');
    expect(await codeOf(() => slow.nextAsync())).toBe('SLUICE_CLOSED');
    for await (const value of slow) expect(value).toBe('never');
    ours.publish(3);
    expect(ours.tryPublish(4)).toBe(false);
    expect(fast.next()).toBe(3);
  });

  test('a loop that ends early does not close the subscription, and another loop continues from there', async () => {
    const { ours } = create();
    const subscription = ours.subscribe();
    for (const n of numbers(1, 4)) ours.publish(n);
    for await (const value of subscription) if (value === 2) break;
    expect(ours.inspect().subscriptions).toEqual([
      { agent: 1, title: expect.stringMatching(/^agent 1\b/) as string, behind: 2 },
    ]);
    ours.close();
    const got: number[] = [];
    for await (const value of subscription) got.push(value);
    expect(got).toEqual([3, 4]);
  });

  test('close() of a subscription throws while its calls wait', async () => {
    const { ours } = create();
    const subscription = ours.subscribe();
    const controller = new AbortController();
    const wait = subscription.nextAsync({ signal: controller.signal });
    expect(() => subscription.close()).toThrow(
      'the subscription cannot be closed while 1 call of it waits. Abort it first. Nothing was changed.',
    );
    controller.abort('over');
    // At once, before the promise settles.
    subscription.close();
    await expect(wait).rejects.toBe('over');
    expect(ours.inspect().subscriptions).toEqual([]);
    expectAtRest(arena, ours);
  });

  test('subscribe() throws when all subscriptions are taken, and succeeds after one is closed', () => {
    const { ours, theirs } = create({ maxSubscriptions: 2, name: 'prices' });
    const [one] = [ours.subscribe(), theirs.subscribe()];
    expect(() => ours.subscribe()).toThrow(
      /^Broadcast 'prices' has 2 subscriptions \(of this agent \(agent 1\) and agent 2 \(main thread\)\), and takes no more \(maxSubscriptions\)\./,
    );
    one.close();
    const again = theirs.subscribe();
    expect(() => ours.subscribe()).toThrow('takes no more');
    ours.publish(7);
    expect(again.next()).toBe(7);
  });

  test('publish() that would wait for a subscription of its own thread throws a DeadlockError and publishes nothing', () => {
    const { ours, theirs } = create({ capacity: 2 });
    const [mine, others] = [ours.subscribe(), theirs.subscribe()];
    ours.publish(1);
    ours.publish(2);
    expect(others.next()).toBe(1);
    expect(() => ours.publish(3)).toThrow(
      'would block this agent until a subscription of its own reads a value, which it cannot do meanwhile: that subscription is 2 values behind. The value was not published.',
    );
    expect([rest(mine), rest(others), ours.published]).toEqual([[1, 2], [2], 2]);
    ours.publish(3);
    expectAtRest(arena, ours);
  });

  test('publish() behind an async call of its own thread throws a DeadlockError', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const slow = theirs.subscribe();
    ours.publish(1);
    const wait = ours.publishAsync(2);
    await turn();
    expect(() => ours.publish(3)).toThrow('behind 1 async wait of its own');
    expect(slow.next()).toBe(1);
    await wait;
    expect(slow.next()).toBe(2);
    expectAtRest(arena, ours);
  });

  test('publish() behind an async call through another object of the same thread throws a DeadlockError', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const again = openAs(other, ours.handle, (handle) => Broadcast.from<number>(handle));
    const slow = ours.subscribe();
    ours.publish(1);
    const wait = theirs.publishAsync(2);
    await turn();
    expect(() => again.publish(3)).toThrow('behind 1 async wait of its own');
    expect([again.tryPublish(3, 5), slow.next()]).toEqual([false, 1]);
    await wait;
    expect([slow.next(), again.tryPublish(3), slow.next(), ours.published]).toEqual([2, true, 3, 3]);
    expectAtRest(arena, ours);
  });

  test('publish() throws a DeadlockError if another publisher waits for a subscription of its thread', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const [first, mine] = [ours.subscribe(), theirs.subscribe()];
    ours.publish(1);
    const wait = ours.publishAsync(2);
    await turn();
    expect(() => theirs.publish(3)).toThrow(
      'until a subscription of its own reads a value, which it cannot do meanwhile: that subscription is 1 value behind. The value was not published.',
    );
    expect([first.next(), mine.next()]).toEqual([1, 1]);
    await wait;
    expect([first.next(), mine.next(), ours.published]).toEqual([2, 2, 2]);
    expectAtRest(arena, ours);
  });

  test('free() throws while a publisher waits, and otherwise ends all subscriptions', async () => {
    const { ours, theirs } = create({ capacity: 1 });
    const slow = theirs.subscribe();
    ours.publish(1);
    const waits = [ours.publishAsync(2), theirs.publishAsync(3)];
    await turn();
    expect(() => ours.free()).toThrow('is in use and cannot be freed: 1 published, held back by agent 2');
    expect(rest(slow)).toEqual([1]);
    await waits[0];
    expect(rest(slow)).toEqual([2]);
    await waits[1];
    ours.free();
    for (const call of [
      () => slow.next(),
      () => slow.behind,
      () => theirs.publish(1),
      () => theirs.tryPublish(1),
      () => theirs.subscribe(),
      () => theirs.inspect(),
    ]) {
      expect(call).toThrow('was freed and cannot be used any more');
    }
    slow.close();
    const again = create({ capacity: 1 });
    again.ours.publish(1);
    expect(again.ours.inspect().subscriptions).toEqual([]);
  });

  test('the subscriptions of an agent that leaves the arena end', () => {
    const { ours } = create({ capacity: 1 });
    const leaver = secondAgent(arena);
    const slow = openAs(leaver, ours.handle, (handle) => Broadcast.from<number>(handle)).subscribe();
    ours.publish(1);
    expect(ours.tryPublish(2)).toBe(false);
    leaver.leave();
    expect([ours.tryPublish(2), ours.inspect().subscriptions]).toEqual([true, []]);
    expect(() => slow.next()).toThrow('left');
    slow.close();
  });

  test('inspect() reports how far each subscription is behind, and which publishers wait', async () => {
    const { ours, theirs } = create({ capacity: 2, name: 'ticks' });
    const [mine, others] = [ours.subscribe(), theirs.subscribe()];
    ours.publish(1);
    ours.publish(2);
    mine.next();
    const wait = theirs.publishAsync(3);
    await turn();
    expect(ours.inspect()).toMatchObject({
      kind: 'broadcast',
      name: 'ticks',
      capacity: 2,
      overflow: 'wait',
      published: 2,
      closed: false,
      waiters: [],
      publishers: [{ agent: 2, kind: 'async' }],
      subscriptions: [
        { agent: 1, behind: 1 },
        { agent: 2, behind: 2 },
      ],
    });
    rest(others);
    await wait;
    expect(ours.inspect()).toMatchObject({
      published: 3,
      publishers: [],
      subscriptions: [
        { agent: 1, behind: 2 },
        { agent: 2, behind: 1 },
      ],
    });
  });
});

test("with overflow 'lag' the same calls publish at once, and subscriptions can be closed", async () => {
  const ours = Broadcast.create<number>({ capacity: 1 });
  const slow = ours.subscribe();
  ours.publish(1);
  expect(ours.tryPublish(2)).toBe(true);
  await ours.publishAsync(3);
  expect([ours.published, ours.inspect()]).toEqual([
    3,
    expect.objectContaining({ overflow: 'lag', publishers: [], subscriptions: [] }),
  ]);
  expect(() => slow.next()).toThrow('lost 2 values');
  slow.close();
  expect(() => slow.next()).toThrow('the subscription is closed');
  ours.free();
});
