// Async waits on both sides that end otherwise than with what they want: by timeout and by abort.

import { getEventListeners } from 'node:events';
import { Arena, TimeoutError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer } from '../src/index.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { ENGINES } from './support/kinds.ts';
import { until } from './support/until.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const REASON = new Error('enough');
/** As they reject. */
const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((reason: unknown) => reason);

describe.each(ENGINES)('%s', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const make = (capacity: number): BoundedBuffer<number> =>
    atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity }), expectQuiet);

  /** A side on which every caller has to wait. */
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
      /** What can be taken out when the wait did not end well, and when it did. */
      left: [1],
      served: [2],
      /** And when it did not, although what it waits for was there. */
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

  describe.each(SIDES)('$side', ({ stuck, wait, serve, left, served, refused, waiters }) => {
    test('rejects at once with timeout 0, and later with a longer one, and has changed nothing', async () => {
      const buffer = stuck();
      for (const timeout of [0, 1, 3]) {
        const failure = await outcome(wait(buffer, { timeout }));
        expect(failure).toBeInstanceOf(TimeoutError);
        expect((failure as Error).message).toContain('within');
      }
      expect([waiters(buffer), drain(buffer)]).toEqual([0, left]);
    });

    test('says which timeout ran out', async () => {
      const buffer = stuck();
      const failure = await outcome(wait(buffer, { timeout: 3 }));
      drain(buffer);
      expect((failure as Error).message).toContain('within 3 ms');
    });

    test('rejects with the reason of a signal that was aborted before, also if it need not wait', async () => {
      const buffer = stuck();
      const signal = AbortSignal.abort(REASON);
      expect(await outcome(wait(buffer, { signal }))).toBe(REASON);
      expect(waiters(buffer)).toBe(0);
      serve(buffer);
      const before = buffer.length;
      expect([await outcome(wait(buffer, { signal })), buffer.length]).toEqual([REASON, before]);
      drain(buffer);
    });

    test('rejects with the reason of an abort while it waits, and has changed nothing', async () => {
      const buffer = stuck();
      const controller = new AbortController();
      const waiting = outcome(wait(buffer, { signal: controller.signal }));
      await turn();
      expect(waiters(buffer)).toBe(1);
      controller.abort(REASON);
      expect([await waiting, waiters(buffer), drain(buffer)]).toEqual([REASON, 0, left]);
    });

    test('either has what it wants or rejects, when an abort meets what it waits for', async () => {
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

    test('a timeout that is long enough is no matter, nor an abort afterwards', async () => {
      const buffer = stuck();
      const controller = new AbortController();
      const waiting = wait(buffer, { timeout: 60_000, signal: controller.signal, ref: false });
      await turn();
      serve(buffer);
      await waiting;
      controller.abort(REASON);
      expect(drain(buffer)).toEqual(served);
    });

    test('when a waiter in the middle of the line gives up, those behind it are served in their order', async () => {
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

  test('tasks of one agent are served first come, first served, on both sides', async () => {
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

  test('many calls with one signal have one listener between them, and none when all are done', async () => {
    const buffer = make(8);
    const { signal } = new AbortController();
    const calls = Array.from({ length: 30 }, () => buffer.popAsync({ signal }));
    await turn();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (let value = 0; value < 30; value++) await buffer.pushAsync(value);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 30 }, (_, value) => value));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('a newcomer that need not wait does not pass those that do', async () => {
    const buffer = make(1);
    const pop = buffer.popAsync();
    await turn();
    buffer.push(1);
    // What is there is promised already.
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
