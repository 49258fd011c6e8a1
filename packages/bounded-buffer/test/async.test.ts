// Async waits on both sides that time out or are aborted.

import { getEventListeners } from 'node:events';
import { Arena, ClosedError, TimeoutError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer } from '../src/index.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { ENGINES } from './support/kinds.ts';
import { until } from './support/until.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const REASON = new Error('enough');
/** The rejections of a wait. */
const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((reason: unknown) => reason);

describe.each(ENGINES)('%s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const make = (capacity: number): BoundedBuffer<number> =>
    atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity }), expectQuiet);

  /** A side at which every caller has to wait. */
  const SIDES = [
    {
      side: 'pushAsync',
      stuck: (): BoundedBuffer<number> => {
        const buffer = make(1);
        buffer.push(1);
        return buffer;
      },
      wait: (buffer: BoundedBuffer<number>, options?: object): Promise<unknown> => buffer.pushAsync(2, options),
      serve: (buffer: BoundedBuffer<number>): unknown => buffer.pop(),
      /** The values that remain if the wait failed, and if it succeeded. */
      left: [1],
      served: [2],
      /** The values that remain if the wait failed although it could have succeeded. */
      refused: [],
      waiters: (buffer: BoundedBuffer<number>): number => buffer.inspect().producers.length,
    },
    {
      side: 'popAsync',
      stuck: (): BoundedBuffer<number> => make(1),
      wait: (buffer: BoundedBuffer<number>, options?: object): Promise<unknown> => buffer.popAsync(options),
      serve: (buffer: BoundedBuffer<number>): unknown => buffer.push(2),
      left: [],
      served: [],
      refused: [2],
      waiters: (buffer: BoundedBuffer<number>): number => buffer.inspect().consumers.length,
    },
  ] as const;

  describe('a call with timeout 0 behind a cancelled wait for more room than there is', () => {
    /** A buffer with room for 15 bytes, in whose line a cancelled call left its permit. */
    const cancelledInLine = async (): Promise<BoundedBuffer<Uint8Array>> => {
      const buffer = BoundedBuffer.create<Uint8Array>({ arena, codec: 'bytes', ringBytes: 36 });
      buffer.push(new Uint8Array(15));
      const cancel = new AbortController();
      const cancelled = outcome(buffer.pushAsync(new Uint8Array(20), { signal: cancel.signal }));
      await turn();
      cancel.abort(REASON);
      expect(await cancelled).toBe(REASON);
      return buffer;
    };

    test('it takes the room that there is', async () => {
      const buffer = await cancelledInLine();
      await buffer.pushAsync(new Uint8Array(6), { timeout: 0 });
      expect(buffer.popMany(3).map(({ length }) => length)).toEqual([15, 6]);
    });

    test('it finds no room for a value that does not fit', async () => {
      const buffer = await cancelledInLine();
      expect(await outcome(buffer.pushAsync(new Uint8Array(16), { timeout: 0 }))).toBeInstanceOf(TimeoutError);
      expect([buffer.length, buffer.inspect().producers]).toEqual([1, []]);
    });

    test('it is told of a close', async () => {
      const buffer = await cancelledInLine();
      buffer.close();
      expect(await outcome(buffer.pushAsync(new Uint8Array(6), { timeout: 0 }))).toBeInstanceOf(ClosedError);
      expect(buffer.length).toBe(1);
    });
  });

  describe.each(SIDES)('$side', ({ stuck, wait, serve, left, served, refused, waiters }) => {
    test('a wait with timeout 0 rejects at once, one with a longer timeout rejects later, and nothing changes', async () => {
      const buffer = stuck();
      for (const timeout of [0, 1, 3]) {
        const failure = await outcome(wait(buffer, { timeout }));
        expect(failure).toBeInstanceOf(TimeoutError);
        expect((failure as Error).message).toContain('within');
      }
      expect([waiters(buffer), drain(buffer)]).toEqual([0, left]);
    });

    test('a TimeoutError names the timeout', async () => {
      const buffer = stuck();
      const failure = await outcome(wait(buffer, { timeout: 3 }));
      drain(buffer);
      expect((failure as Error).message).toContain('within 3 ms');
    });

    test('a call with an aborted signal rejects with its reason, even if the call need not wait', async () => {
      const buffer = stuck();
      const signal = AbortSignal.abort(REASON);
      expect(await outcome(wait(buffer, { signal }))).toBe(REASON);
      expect(waiters(buffer)).toBe(0);
      serve(buffer);
      const before = buffer.length;
      expect([await outcome(wait(buffer, { signal })), buffer.length]).toEqual([REASON, before]);
      drain(buffer);
    });

    test('a wait that is aborted rejects with the reason, and nothing changes', async () => {
      const buffer = stuck();
      const controller = new AbortController();
      const waiting = outcome(wait(buffer, { signal: controller.signal }));
      await turn();
      expect(waiters(buffer)).toBe(1);
      controller.abort(REASON);
      expect([await waiting, waiters(buffer), drain(buffer)]).toEqual([REASON, 0, left]);
    });

    test('a wait that is aborted as it is served either succeeds or rejects', async () => {
      for (const abortFirst of [true, false]) {
        const buffer = stuck();
        const controller = new AbortController();
        const waiting = outcome(wait(buffer, { signal: controller.signal }));
        await turn();
        if (abortFirst) controller.abort(REASON);
        serve(buffer);
        if (!abortFirst) controller.abort(REASON);
        const ended = await waiting;
        if (abortFirst) expect(ended).toBe(REASON);
        else expect([undefined, 2, REASON]).toContain(ended);
        // A pushed value is in the buffer if, and only if, no consumer has it.
        expect(drain(buffer)).toEqual(ended === REASON ? refused : served);
      }
    });

    test('a wait that is served before its timeout, and before an abort, resolves', async () => {
      const buffer = stuck();
      const controller = new AbortController();
      const waiting = wait(buffer, { timeout: 60_000, signal: controller.signal, ref: false });
      await turn();
      serve(buffer);
      await waiting;
      controller.abort(REASON);
      expect(drain(buffer)).toEqual(served);
    });

    test('waiters behind a waiter that is aborted are served in their order', async () => {
      const buffer = stuck();
      const order: number[] = [];
      const controller = new AbortController();
      const waits = [0, 1, 2, 3].map((index) => {
        const signal = index % 2 === 1 ? controller.signal : undefined;
        return wait(buffer, { signal }).then(
          () => order.push(index),
          () => order.push(-index),
        );
      });
      await turn();
      expect(waiters(buffer)).toBe(4);
      controller.abort(REASON);
      await until(() => order.length === 2);
      expect([waiters(buffer), order]).toEqual([2, [-1, -3]]);
      for (let served = 0; served < 2; served++) {
        serve(buffer);
        await until(() => order.length === 3 + served);
      }
      await Promise.all(waits);
      expect(order).toEqual([-1, -3, 0, 2]);
      drain(buffer);
    });
  });

  test('tasks of one agent are served in FIFO order, on both sides', async () => {
    const buffer = make(2);
    const popped: number[] = [];
    const pops = [0, 1, 2, 3, 4].map((index) => buffer.popAsync().then((value) => popped.push(10 * index + value)));
    await turn();
    for (let index = 0; index < 5; index++) await buffer.pushAsync(index);
    await Promise.all(pops);
    expect(popped).toEqual([0, 11, 22, 33, 44]);
    const pushes = Array.from({ length: 9 }, (_, index) => buffer.pushAsync(index));
    await turn();
    expect([buffer.length, buffer.inspect().producers.length]).toEqual([2, 7]);
    for (let index = 0; index < 9; index++) expect(await buffer.popAsync()).toBe(index);
    await Promise.all(pushes);
  });

  test('many calls with one signal share one listener, and none is left when all have ended', async () => {
    const buffer = make(8);
    const { signal } = new AbortController();
    const calls = Array.from({ length: 30 }, () => buffer.popAsync({ signal }));
    await turn();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (let value = 0; value < 30; value++) await buffer.pushAsync(value);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 30 }, (_, value) => value));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('an async call that need not wait does not overtake calls that wait', async () => {
    const buffer = make(1);
    const pop = buffer.popAsync();
    await turn();
    buffer.push(1);
    // The values that are there are granted already.
    expect([buffer.length, buffer.tryPop()]).toEqual([1, undefined]);
    expect(await pop).toBe(1);
    buffer.push(2);
    const push = buffer.pushAsync(3);
    await turn();
    expect(buffer.pop()).toBe(2);
    expect([buffer.length, buffer.tryPush(4)]).toEqual([0, false]);
    await push;
    expect(buffer.pop()).toBe(3);
  });
});

function drain(buffer: BoundedBuffer<number>): number[] {
  return buffer.tryPopMany();
}
