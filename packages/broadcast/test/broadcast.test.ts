// The promises of a broadcast to agents of one thread.

import { Arena, hasCode } from '@sluice/core';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { asLine } from '../../core/src/kernel/addresses.ts';
import { GRANT } from '../../core/src/kernel/layout.ts';
import { RACED, TAKEN } from '../../core/src/kernel/states.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { Broadcast, LaggedError, type BroadcastCodec, type BroadcastOptions, type Subscription } from '../src/index.ts';
import type { BroadcastKernel } from '../src/kinds.ts';
import { expectAtRest } from './support/rest.ts';
import './support/kinds.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);

interface Point {
  readonly x: number;
  readonly y: number;
}
const POINTS: BroadcastCodec<Point> = {
  name: 'points',
  encode: ({ x, y }) => new Uint8Array(new Float64Array([x, y]).buffer),
  decode: (bytes) => {
    const [x = Number.NaN, y = Number.NaN] = new Float64Array(bytes.buffer, bytes.byteOffset, 2);
    return { x, y };
  },
};

/** Returns all values that are there. */
function rest<T>(subscription: Subscription<T>): T[] {
  const values: T[] = [];
  for (let value = subscription.tryNext(); value !== undefined; value = subscription.tryNext()) values.push(value);
  return values;
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe.each(PLACES)('Broadcast ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one broadcast, one per agent. */
  function create<T>(options: BroadcastOptions<T> = {}): { ours: Broadcast<T>; theirs: Broadcast<T> } {
    const ours = Broadcast.create<T>({ arena, ...options });
    const codec = typeof options.codec === 'object' ? options.codec : undefined;
    return {
      ours,
      theirs: openAs(other, ours.handle, (handle) => Broadcast.from<T>(handle, codec === undefined ? {} : { codec })),
    };
  }
  const ints = (options: BroadcastOptions<number> = {}) => create<number>({ codec: 'int32', capacity: 4, ...options });

  test('every subscription gets every value, in the order of publication', () => {
    const { ours, theirs } = ints({ capacity: 64 });
    const subscriptions = [ours.subscribe(), ours.subscribe(), theirs.subscribe()];
    for (const n of numbers(1, 40)) (n % 3 === 0 ? ours : theirs).publish(n);
    for (const subscription of subscriptions) expect(rest(subscription)).toEqual(numbers(1, 40));
    expectAtRest(arena, ours);
  });

  test.each([
    ['json', [{ a: [1, null] }, 'ü', null, '']],
    ['int32', [0, -(2 ** 31), 2 ** 31 - 1]],
    ['float64', [0.1, -0, Infinity]],
    ['bytes', [Uint8Array.of(), Uint8Array.of(1, 2, 3), new Uint8Array(1024).fill(7)]],
  ] as const)('values of the codec %s come out unchanged', (codec, values) => {
    const { ours, theirs } = create<unknown>({ codec });
    const subscriptions = [ours.subscribe(), theirs.subscribe()];
    for (const value of values) ours.publish(value);
    for (const subscription of subscriptions) for (const value of values) expect(subscription.next()).toEqual(value);
  });

  test('a broadcast with a custom codec carries its values', () => {
    const { ours, theirs } = create<Point>({ codec: POINTS, maxBytes: 16 });
    const subscription = ours.subscribe();
    theirs.publish({ x: 3, y: 4 });
    expect(subscription.next()).toEqual({ x: 3, y: 4 });
    expect(() => openAs(other, ours.handle, (handle) => Broadcast.from(handle))).toThrow(
      'was made with the codec "points": pass it',
    );
    expect(() => openAs(other, ours.handle, (handle) => Broadcast.from(handle, { codec: 'json' }))).toThrow(
      'received "json"',
    );
  });

  test('publish() takes a copy, and next() returns one', () => {
    const { ours, theirs } = create<Uint8Array>({ codec: 'bytes' });
    const [one, two] = [ours.subscribe(), theirs.subscribe()];
    const bytes = Uint8Array.of(2);
    theirs.publish(bytes);
    bytes[0] = 9;
    const got = one.next();
    expect(got).toEqual(Uint8Array.of(2));
    got[0] = 9;
    expect(two.next()).toEqual(Uint8Array.of(2));
  });

  test('a subscription begins at the next value, or at the oldest kept value', () => {
    const { ours, theirs } = ints();
    expect(rest(ours.subscribe({ from: 'oldest' }))).toEqual([]);
    for (const n of numbers(1, 3)) ours.publish(n);
    const [next, oldest] = [theirs.subscribe({ from: 'next' }), theirs.subscribe({ from: 'oldest' })];
    expect([next.behind, oldest.behind]).toEqual([0, 3]);
    ours.publish(4);
    expect([rest(next), rest(oldest)]).toEqual([[4], [1, 2, 3, 4]]);
    for (const n of numbers(5, 100)) ours.publish(n);
    const late = theirs.subscribe({ from: 'oldest' });
    expect([late.behind, rest(late), late.lost]).toEqual([4, [97, 98, 99, 100], 0]);
  });

  test.each([1, 2, 3, 4, 5, 64, 65])('a capacity of %i is rounded up to the next power of two', (capacity) => {
    const { ours } = ints({ capacity });
    expect(ours.capacity).toBe(2 ** Math.ceil(Math.log2(capacity)));
    const oldest = ours.subscribe({ from: 'oldest' });
    for (const n of numbers(1, ours.capacity)) ours.publish(n);
    expect(rest(oldest)).toEqual(numbers(1, ours.capacity));
  });

  test('a subscription that lags learns how many values it lost, and continues at the oldest kept value', () => {
    const { ours, theirs } = ints({ name: 'prices' });
    const [slow, fast] = [theirs.subscribe(), theirs.subscribe()];
    for (const n of numbers(1, 4)) {
      ours.publish(n);
      expect(fast.next()).toBe(n);
    }
    expect([slow.behind, slow.next()]).toEqual([4, 1]);
    for (const n of numbers(5, 10)) ours.publish(n);
    const failure: unknown = caught(() => slow.next());
    expect(failure).toBeInstanceOf(LaggedError);
    expect(hasCode(failure, 'SLUICE_LAGGED') && [failure.name, failure.lost, failure.message]).toEqual([
      'LaggedError',
      5,
      "Broadcast 'prices': this subscription was too slow and lost 5 values. Its next call goes on at the oldest value that is kept.",
    ]);
    expect([slow.lost, slow.behind, rest(slow)]).toEqual([5, 4, [7, 8, 9, 10]]);
    expect(() => fast.tryNext()).toThrow('lost 2 values');
    expect([fast.lost, rest(fast)]).toEqual([2, [7, 8, 9, 10]]);
    ours.publish(11);
    expect([slow.next(), fast.next()]).toEqual([11, 11]);
    expectAtRest(arena, ours);
  });

  test('onLag is called instead of an error, and the call continues', async () => {
    const { ours } = ints();
    const lost: number[] = [];
    const slow = ours.subscribe({ onLag: (count) => lost.push(count) });
    for (const n of numbers(1, 9)) ours.publish(n);
    expect([slow.next(), lost, slow.lost]).toEqual([6, [5], 5]);
    for (const n of numbers(10, 20)) ours.publish(n);
    expect([await slow.nextAsync(), lost, slow.lost]).toEqual([17, [5, 10], 15]);
    ours.close();
    const got: number[] = [];
    for await (const value of slow) got.push(value);
    expect(got).toEqual([18, 19, 20]);
  });

  test('a subscription that keeps lagging because its onLag is slow is not reported as a damaged arena', () => {
    const { ours } = ints({ capacity: 1 });
    let laps = 6 * 4096;
    const clock = vi.spyOn(performance, 'now');
    let now = performance.now();
    clock.mockImplementation(() => (now += 5000));
    try {
      const slow = ours.subscribe({
        onLag: () => {
          for (let n = 0; n < 2 && laps > 0; n++) ours.publish(laps);
          laps--;
        },
      });
      for (const n of [1, 2]) ours.publish(n);
      expect(slow.next()).toBe(1);
      expect(laps).toBe(-1);
    } finally {
      clock.mockRestore();
    }
    expectAtRest(arena, ours);
  });

  test.each(['next', 'tryNext', 'nextAsync'] as const)(
    'a %s whose onLag closes its subscription throws a ClosedError and takes nothing',
    async (call) => {
      const { ours } = ints();
      const slow: Subscription<number> = ours.subscribe({ onLag: () => slow.close() });
      for (const n of numbers(1, 6)) ours.publish(n);
      await expect((async () => slow[call]())()).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
      expect(() => slow.next()).toThrow('the subscription is closed');
      expectAtRest(arena, ours);
    },
  );

  test('a waiting nextAsync() whose onLag closes its subscription rejects, and a loop ends', async () => {
    const { ours } = ints();
    const waiting: Subscription<number> = ours.subscribe({ onLag: () => waiting.close() });
    const looping: Subscription<number> = ours.subscribe({ onLag: () => looping.close() });
    const ends = [waiting.nextAsync(), looping[Symbol.asyncIterator]().next()];
    for (const n of numbers(1, 6)) ours.publish(n);
    await expect(ends[0]).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    expect(await ends[1]).toEqual({ done: true, value: undefined });
    expectAtRest(arena, ours);
  });

  test('close() in onLag throws while another call of the subscription waits', async () => {
    const { ours } = ints();
    const refused: unknown[] = [];
    const slow: Subscription<number> = ours.subscribe({
      onLag: () => {
        try {
          slow.close();
        } catch (failure) {
          refused.push(failure);
        }
      },
    });
    const both = [slow.nextAsync(), slow.nextAsync()];
    for (const n of numbers(1, 6)) ours.publish(n);
    await Promise.all(both);
    expect(refused).toEqual([
      expect.objectContaining({
        code: 'SLUICE_MISUSE',
        message: expect.stringContaining('while 1 call of it waits') as string,
      }),
    ]);
    slow.close();
  });

  test('an error of onLag is thrown by the call, which can be repeated', () => {
    const { ours } = ints();
    const slow = ours.subscribe({
      onLag: () => {
        throw new Error('mine');
      },
    });
    for (const n of numbers(1, 6)) ours.publish(n);
    expect(() => slow.next()).toThrow('mine');
    expect([slow.lost, rest(slow)]).toEqual([2, [3, 4, 5, 6]]);
  });

  test('publish() wakes all waiters, each with the value', async () => {
    const { ours, theirs } = ints();
    const waits = [ours.subscribe(), theirs.subscribe(), theirs.subscribe()].map((subscription) =>
      subscription.nextAsync(),
    );
    await turn();
    expect(ours.waiting).toBe(3);
    theirs.publish(1);
    theirs.publish(2);
    expect(await Promise.all(waits)).toEqual([1, 1, 1]);
    expectAtRest(arena, ours);
  });

  test('several async calls of one subscription get the values in call order', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    const controller = new AbortController();
    const waits = [subscription.nextAsync(), subscription.nextAsync({ timeout: 60_000 })];
    const gone = subscription.nextAsync({ signal: controller.signal });
    const last = subscription.nextAsync();
    await turn();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    for (const n of numbers(1, 3)) {
      ours.publish(n);
      await turn();
    }
    expect(await Promise.all([...waits, last])).toEqual([1, 2, 3]);
    expectAtRest(arena, ours);
  });

  test('an async call that begins between a value and the wake-up of an earlier call gets the next value', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    for (let round = 0; round < 10; round++) {
      const first = subscription.nextAsync();
      ours.publish(1);
      const second = subscription.nextAsync();
      ours.publish(2);
      ours.publish(3);
      const third = subscription.nextAsync({ timeout: 0 });
      const fourth = subscription
        .nextAsync({ timeout: 0 })
        .catch((failure: unknown) => hasCode(failure, 'SLUICE_TIMEOUT'));
      expect(await Promise.all([first, second, third, fourth])).toEqual([1, 2, 3, true]);
    }
    expectAtRest(arena, ours);
  });

  test('two next() calls of a loop get the values in order', async () => {
    const { ours, theirs } = ints();
    const loop = theirs.subscribe()[Symbol.asyncIterator]();
    const first = loop.next();
    ours.publish(1);
    const second = loop.next();
    ours.publish(2);
    expect([await first, await second]).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
    ]);
    await loop.return();
    expectAtRest(arena, ours);
  });

  test('an error goes to the call that began first', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    const first = subscription.nextAsync();
    for (const n of numbers(1, 5)) ours.publish(n);
    const second = subscription.nextAsync();
    await expect(first).rejects.toMatchObject({ code: 'SLUICE_LAGGED', lost: 1 });
    expect([await second, rest(subscription)]).toEqual([2, [3, 4, 5]]);
    const [third, fourth] = [subscription.nextAsync(), subscription.nextAsync()];
    ours.publish(6);
    ours.close();
    const closed = (call: Promise<number>): Promise<boolean | number> =>
      call.catch((failure: unknown) => hasCode(failure, 'SLUICE_CLOSED'));
    expect(await Promise.all([third, closed(fourth), closed(subscription.nextAsync())])).toEqual([6, true, true]);
    expectAtRest(arena, ours);
  });

  test('a call whose value a later call has found resolves despite its timeout and its signal', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    const controller = new AbortController();
    const [first, second] = [
      subscription.nextAsync({ signal: controller.signal }),
      subscription.nextAsync({ timeout: 60_000 }),
    ];
    ours.publish(1);
    const third = subscription.nextAsync();
    // `third` has taken value 1 for `first`.
    await Promise.resolve();
    await Promise.resolve();
    controller.abort('too late');
    ours.publish(2);
    ours.publish(3);
    expect(await Promise.all([first, second, third])).toEqual([1, 2, 3]);
    expectAtRest(arena, ours);
  });

  test('a value stays for the next call if the call was aborted before, and an abort afterwards has no effect', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      const first = subscription.nextAsync({ signal: controller.signal }).catch((failure: unknown) => failure);
      if (isEarly) controller.abort('no longer');
      ours.publish(1);
      const second = subscription.nextAsync();
      controller.abort('no longer');
      ours.publish(2);
      expect([await first, await second, rest(subscription)]).toEqual(isEarly ? ['no longer', 1, [2]] : [1, 2, []]);
    }
    expectAtRest(arena, ours);
  });

  test('next() takes a value ahead of waiting nextAsync() calls, which get the following values or are aborted', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    const controller = new AbortController();
    const [first, second] = [subscription.nextAsync({ signal: controller.signal }), subscription.nextAsync()];
    ours.publish(1);
    expect(subscription.next()).toBe(1);
    controller.abort('no longer');
    await expect(first).rejects.toBe('no longer');
    ours.publish(2);
    expect(await second).toBe(2);
    expectAtRest(arena, ours);
  });

  test('a call whose value went to an earlier call times out after its own timeout', async () => {
    const { ours } = ints({ name: 'ticks' });
    const subscription = ours.subscribe();
    const [first, second] = [subscription.nextAsync(), subscription.nextAsync({ timeout: 7 })];
    ours.publish(1);
    expect(await first).toBe(1);
    await expect(second).rejects.toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: "Broadcast 'ticks' published no value within 7 ms: 1 published. No value was taken.",
    });
    expectAtRest(arena, ours);
  });

  test('a wait that times out or is aborted does not affect the other waiters', async () => {
    const { ours, theirs } = ints({ name: 'ticks' });
    const [one, two] = [ours.subscribe(), theirs.subscribe()];
    const controller = new AbortController();
    const [gone, late] = [two.nextAsync({ signal: controller.signal }), one.nextAsync({ timeout: 2 })];
    const stays = theirs.subscribe().nextAsync();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: "Broadcast 'ticks' published no value within 2 ms: 0 published, 1 waiter in line. No value was taken.",
    });
    expect([ours.waiting, one.tryNext(1), two.tryNext()]).toEqual([1, undefined, undefined]);
    ours.publish(1);
    expect([await stays, one.next(), two.next()]).toEqual([1, 1, 1]);
    expectAtRest(arena, ours);
  });

  test('after close() subscriptions get the kept values, and then their waits and loops end', async () => {
    const { ours, theirs } = ints({ name: 'ticks' });
    const [reads, waits, loops] = [theirs.subscribe(), theirs.subscribe(), ours.subscribe()];
    const got: number[] = [];
    const loop = (async () => {
      for await (const value of loops) got.push(value);
    })();
    await turn();
    ours.publish(1);
    ours.publish(2);
    await turn();
    expect([waits.next(), waits.next()]).toEqual([1, 2]);
    const pending = waits.nextAsync();
    await turn();
    theirs.close();
    ours.close();
    await expect(pending).rejects.toMatchObject({
      code: 'SLUICE_CLOSED',
      message: "Broadcast 'ticks' is closed. No value was taken.",
    });
    await loop;
    expect([got, reads.next(), reads.next(), ours.closed]).toEqual([[1, 2], 1, 2, true]);
    for (const call of [() => reads.next(), () => reads.tryNext(), () => reads.tryNext(1)])
      expect(call).toThrow('is closed');
    for (let n = 0; n < 20; n++)
      expect(() => theirs.publish(3)).toThrow("Broadcast 'ticks' is closed. The value was not published.");
    const late = ours.subscribe({ from: 'oldest' });
    expect([late.next(), late.next()]).toEqual([1, 2]);
    expectAtRest(arena, ours);
    ours.free();
  });

  test('a loop throws LaggedError, and a new loop continues', async () => {
    const { ours } = ints();
    const slow = ours.subscribe();
    for (const n of numbers(1, 6)) ours.publish(n);
    ours.close();
    const got: number[] = [];
    const loop = async (): Promise<void> => {
      for await (const value of slow) got.push(value);
    };
    await expect(loop()).rejects.toMatchObject({ code: 'SLUICE_LAGGED', lost: 2 });
    await loop();
    expect(got).toEqual([3, 4, 5, 6]);
  });

  test('a loop that ends while its next() waits leaves the queue, and loses no value', async () => {
    const { ours, theirs } = ints();
    const subscription = theirs.subscribe();
    const loop = subscription[Symbol.asyncIterator]();
    const next = loop.next();
    await turn();
    expect(ours.waiting).toBe(1);
    expect([await loop.return(), await next]).toEqual([{ done: true }, { done: true }]);
    ours.publish(1);
    expect([subscription.tryNext(), await loop.next()]).toEqual([1, { done: true, value: undefined }]);
    expectAtRest(arena, ours);
  });

  test('publish() of a wrong value throws and changes nothing', () => {
    const { ours, theirs } = create<unknown>({ maxBytes: 8, name: 'state' });
    const subscription = theirs.subscribe();
    expect(() => ours.publish('a longer one')).toThrow(
      new RangeError("Broadcast 'state': a value may have at most 8 bytes, received one of 14. Nothing was changed."),
    );
    expect(() => ours.publish(undefined)).toThrow(TypeError);
    expect([subscription.tryNext(), ours.published]).toEqual([undefined, 0]);
    expectAtRest(arena, ours);
  });

  test('a Uint8Array with its own length property writes nothing beyond its slot', () => {
    class Short extends Uint8Array {
      override get length(): number {
        return 4;
      }
    }
    const { ours, theirs } = create<Uint8Array>({ codec: 'bytes', maxBytes: 56, capacity: 2 });
    const subscription = theirs.subscribe({ from: 'oldest' });
    for (const n of [1, 2]) ours.publish(new Uint8Array(56).fill(n));
    expect(() => ours.publish(new Short(200).fill(9))).toThrow(
      new RangeError(`${String(ours)}: a value may have at most 56 bytes, received one of 200. Nothing was changed.`),
    );
    expect([subscription.next(), subscription.next()]).toEqual([
      new Uint8Array(56).fill(1),
      new Uint8Array(56).fill(2),
    ]);
    ours.publish(new Short(8).fill(3));
    ours.publish(Buffer.alloc(5, 4));
    const growing = new Uint8Array(new SharedArrayBuffer(6, { maxByteLength: 1000 })).fill(5);
    ours.publish(growing);
    expect([subscription.lost, caught(() => subscription.next())]).toMatchObject([0, { lost: 1 }]);
    expect(rest(subscription)).toEqual([new Uint8Array(5).fill(4), new Uint8Array(6).fill(5)]);
    expectAtRest(arena, ours);
  });

  test('next() throws the error of decode, and continues with the next value', async () => {
    const angry: BroadcastCodec<number> = {
      name: 'angry',
      encode: (value) => Uint8Array.of(value),
      decode: ([value = 0]) => {
        if (value === 1) throw new Error('mine');
        return value;
      },
    };
    const { ours } = create<number>({ codec: angry });
    const subscription = ours.subscribe();
    for (const n of [1, 2, 1, 3]) ours.publish(n);
    expect(() => subscription.next()).toThrow('mine');
    expect(subscription.next()).toBe(2);
    await expect(subscription.nextAsync()).rejects.toThrow('mine');
    expect(await subscription.nextAsync()).toBe(3);
  });

  test('a reader that was paused while 2^32 values were published discards its copy', () => {
    const { ours } = ints();
    const context = contextOf(arena);
    const kernel = context.kernel as BroadcastKernel;
    const stream = asLine(ours.handle.address);
    ours.publish(1);
    const { entry, tag } = context.lineState(stream, ours.handle.tag, { recorded: true });
    const slot = kernel.beginBroadcastRead(stream, tag, entry, 0, 0);
    expect([slot, kernel.confirmBroadcastRead(stream, tag, entry, 0, 0, slot)]).toEqual([4, TAKEN]);
    // The words after as many values as an entry can distinguish: the entry is the same.
    context.words.store64(stream + GRANT, context.words.load64(stream + GRANT) + 2n ** 33n);
    expect(kernel.confirmBroadcastRead(stream, tag, entry, 0, 0, slot)).toBe(RACED);
  });

  test('a reader whose broadcast was freed during its copy discards the copy', () => {
    const { ours, theirs } = ints();
    const gone = ours.handle;
    const subscription = theirs.subscribe();
    const context = contextOf(arena);
    const kernel = context.kernel as BroadcastKernel;
    const stream = asLine(gone.address);
    ours.publish(1);
    const { entry, tag } = context.lineState(stream, gone.tag, { recorded: true });
    const slot = kernel.beginBroadcastRead(stream, tag, entry, 0, 0);
    ours.free();
    const { ours: next } = ints();
    next.publish(2);
    expect([slot, kernel.beginBroadcastRead(stream, next.handle.tag, entry, 0, 0)]).toEqual([4, 4]);
    expect([next.handle.address, next.handle.tag === tag]).toEqual([gone.address, false]);
    expect(kernel.confirmBroadcastRead(stream, tag, entry, 0, 0, slot)).toBe(RACED);
    expect(() => subscription.next()).toThrow('was freed');
  });

  test('thousands of values and aborted waits use no more memory than the first few', async () => {
    const { ours, theirs } = ints();
    const subscriptions = [ours.subscribe(), theirs.subscribe(), ours.subscribe()];
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const gone = subscriptions.map((subscription) =>
        subscription.nextAsync({ signal: controller.signal }).catch(() => 'left'),
      );
      controller.abort();
      await Promise.all(gone);
    };
    const stays = theirs.subscribe().nextAsync();
    // Until each agent has gathered the elements of its cancelled waits.
    for (let warm = 0; warm < 600; warm++) await round();
    const { used, elements } = arena.inspect();
    for (let count = 0; count < 500; count++) await round();
    expect(arena.inspect()).toMatchObject({ used, elements: { total: elements.total, waiting: 1 } });
    ours.publish(1);
    expect(await stays).toBe(1);
    for (let n = 2; n < 1000; n++) ours.publish(n);
    for (let count = 0; count < 1000; count++) ours.subscribe();
    expect(arena.inspect().used).toBe(used);
    expectAtRest(arena, ours);
  });

  test('the properties and inspect() report name, arena and state', () => {
    const { ours, theirs } = ints({ name: 'level' });
    const subscription = theirs.subscribe();
    ours.publish(2);
    expect([ours.name, theirs.arena === other, String(theirs), String(subscription)]).toEqual([
      'level',
      true,
      "Broadcast 'level'",
      "Broadcast 'level'",
    ]);
    expect(theirs.inspect()).toEqual({
      kind: 'broadcast',
      name: 'level',
      capacity: 4,
      overflow: 'lag',
      published: 1,
      closed: false,
      waiters: [],
      publishers: [],
      subscriptions: [],
    });
    ours.free();
    for (const call of [
      () => theirs.publish(1),
      () => theirs.subscribe(),
      () => theirs.published,
      () => subscription.next(),
      () => subscription.tryNext(),
      () => subscription.behind,
    ]) {
      expect(call).toThrow('was freed');
    }
  });

  test('free() throws while an agent waits', async () => {
    const { ours, theirs } = ints();
    const wait = theirs.subscribe().nextAsync();
    expect(() => ours.free()).toThrow('is in use and cannot be freed: 0 published, 1 waiter in line');
    ours.close();
    await expect(wait).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    ours.free();
  });
});

function caught(call: () => unknown): unknown {
  try {
    call();
  } catch (failure) {
    return failure;
  }
  return undefined;
}

test('create(), from() and subscribe() have the type of the values', () => {
  const stream = Broadcast.create({ codec: 'float64' });
  expectTypeOf(stream).toEqualTypeOf<Broadcast<number>>();
  expectTypeOf(Broadcast.from(stream.handle).subscribe().tryNext()).toEqualTypeOf<number | undefined>();
  expectTypeOf(Broadcast.create<{ a: number }>().subscribe()).toEqualTypeOf<Subscription<{ a: number }>>();
});
