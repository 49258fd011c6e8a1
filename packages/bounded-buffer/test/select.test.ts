import { AutoResetEvent } from '@sluice/auto-reset-event';
import { CountdownLatch } from '@sluice/barrier';
import { Arena, ClosedError, Semaphore, TimeoutError } from '@sluice/core';
import { ManualResetEvent } from '@sluice/event';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { select, selectAsync, type Source } from '../src/select.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { until } from './support/until.ts';

const arena = Arena.create({ maxPages: 64 });
const make = (capacity = 4): BoundedBuffer<number> =>
  atEnd(BoundedBuffer.create({ arena, codec: 'int32', capacity }), expectQuiet);
const full = (): BoundedBuffer<number> => {
  const buffer = make(1);
  buffer.push(1);
  return buffer;
};
const REASON = new Error('enough');

/**
 * Sources that become ready later, each with the call that makes it ready, the value that was taken, and the state if
 * nothing was taken.
 */
const KINDS: readonly {
  readonly kind: string;
  readonly open: () => {
    readonly source: Source<unknown>;
    readonly serve: () => unknown;
    readonly there: () => unknown;
  };
}[] = [
  {
    kind: 'take',
    open: () => {
      const buffer = make();
      return { source: select.take(buffer), serve: () => buffer.push(7), there: () => buffer.tryPop() === 7 };
    },
  },
  {
    kind: 'put',
    open: () => {
      const buffer = full();
      return { source: select.put(buffer, 2), serve: () => buffer.pop(), there: () => buffer.room === 1 };
    },
  },
  {
    kind: 'acquire',
    open: () => {
      const semaphore = Semaphore.create(0, { arena });
      return {
        source: select.acquire(semaphore, 2),
        serve: () => semaphore.release(2),
        there: () => semaphore.available === 2,
      };
    },
  },
  {
    kind: 'wait for an auto-reset event',
    open: () => {
      const event = AutoResetEvent.create({ arena });
      return { source: select.wait(event), serve: () => event.signal(), there: () => event.tryWait() };
    },
  },
];

describe.each(KINDS)('$kind', ({ open }) => {
  test('is taken at once when ready', async () => {
    const { source, serve, there } = open();
    serve();
    expect((await selectAsync({ one: source }, { timeout: 0 })).key).toBe('one');
    expect(there()).toBe(false);
  });

  test('a source that becomes ready later is taken then, and the other sources keep nothing', async () => {
    for (const other of KINDS) {
      const [one, two] = [open(), other.open()];
      const selected = selectAsync({ one: one.source, two: two.source });
      await turn();
      one.serve();
      expect((await selected).key).toBe('one');
      two.serve();
      expect([one.there(), two.there()]).toEqual([false, true]);
    }
  });

  test('a source that becomes ready at the same moment as another loses nothing', async () => {
    for (const other of KINDS) {
      for (const order of ['one first', 'two first']) {
        const [one, two] = [open(), other.open()];
        const selected = selectAsync([one.source, two.source]);
        await turn();
        if (order === 'one first') one.serve();
        two.serve();
        if (order === 'two first') one.serve();
        const { key } = await selected;
        await turn();
        expect([one.there(), two.there()]).toEqual([key !== 0, key !== 1]);
      }
    }
  });

  test('a source that is not ready in time rejects with TimeoutError, and takes nothing afterwards', async () => {
    for (const timeout of [0, 2]) {
      const { source, serve, there } = open();
      const failure: unknown = await selectAsync({ one: source }, { timeout }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TimeoutError);
      expect((failure as Error).message).toBe(
        `selectAsync: no source was ready within ${timeout} ms, of 1 (one). Nothing was taken.`,
      );
      serve();
      expect(there()).toBe(true);
    }
  });

  test('a source that becomes ready at the moment of an abort is taken, or is unchanged', async () => {
    for (const abortFirst of [true, false]) {
      const { source, serve, there } = open();
      const controller = new AbortController();
      const selected = selectAsync([source], { signal: controller.signal }).then(
        () => 'taken',
        (reason: unknown) => reason,
      );
      await turn();
      if (abortFirst) controller.abort(REASON);
      serve();
      if (!abortFirst) controller.abort(REASON);
      const ended = await selected;
      if (abortFirst) expect(ended).toBe(REASON);
      else expect(['taken', REASON]).toContain(ended);
      await turn();
      expect(there()).toBe(ended === REASON);
    }
  });
});

test('select() returns the value and the key of the source, with their types', async () => {
  const [numbers, texts] = [make(), BoundedBuffer.create<string>({ arena })];
  texts.push('a');
  const named = await selectAsync({ number: select.take(numbers), text: select.take(texts) });
  expectTypeOf(named).toEqualTypeOf<
    { readonly key: 'number'; readonly value: number } | { readonly key: 'text'; readonly value: string }
  >();
  expect(named).toEqual({ key: 'text', value: 'a' });
  const listed = await selectAsync([select.take(texts), select.put(numbers, 5)]);
  expectTypeOf(listed).toEqualTypeOf<{ readonly key: number; readonly value: string | undefined }>();
  expect([listed, numbers.pop()]).toEqual([{ key: 1, value: undefined }, 5]);
});

test('the first of several ready sources wins with order "listed", and each wins sometimes without it', async () => {
  const buffers = [make(200), make(200), make(200)];
  for (const buffer of buffers) buffer.pushMany(Array.from({ length: 200 }, (_, n) => n));
  const sources = buffers.map((buffer) => select.take(buffer));
  for (let n = 0; n < 5; n++) expect((await selectAsync(sources, { order: 'listed' })).key).toBe(0);
  const wins = [0, 0, 0];
  for (let n = 0; n < 150; n++) {
    const { key } = await selectAsync(sources);
    wins[key] = (wins[key] ?? 0) + 1;
  }
  // With even chances, one of the three is below 10 in 150 only once in 10^12 runs.
  expect(Math.min(...wins)).toBeGreaterThan(10);
});

test('a manual-reset event and a latch are unchanged after they win', async () => {
  const [event, latch] = [ManualResetEvent.create({ arena }), CountdownLatch.create(1, { arena })];
  const selected = [selectAsync([select.wait(event)]), selectAsync([select.wait(latch)])];
  await turn();
  event.set();
  latch.done();
  await Promise.all(selected);
  expect([event.isSet, latch.count]).toEqual([true, 0]);
});

test('newcomers do not overtake a selection in any queue', async () => {
  const [buffer, semaphore] = [make(), Semaphore.create(0, { arena })];
  const selected = selectAsync({ value: select.take(buffer), permit: select.acquire(semaphore) });
  await turn();
  buffer.push(1);
  expect(buffer.tryPop()).toBe(undefined);
  expect(await selected).toEqual({ key: 'value', value: 1 });
  expect(semaphore.waiting).toBe(0);
});

test('units granted to a loser go to the next waiter', async () => {
  const [buffer, semaphore] = [make(), Semaphore.create(0, { arena })];
  const selected = selectAsync({ value: select.take(buffer), permit: select.acquire(semaphore) }, { order: 'listed' });
  const behind = semaphore.acquireAsync();
  await turn();
  semaphore.release();
  buffer.push(1);
  const { key } = await selected;
  if (key === 'value') await behind;
  else {
    expect(buffer.pop()).toBe(1);
    semaphore.release();
    await behind;
  }
  expect([semaphore.available, buffer.length]).toEqual([0, 0]);
});

describe('a closed source', () => {
  test('rejects the selection, at once and later', async () => {
    const [one, other] = [make(), make()];
    const selected = selectAsync([select.take(one), select.take(other)]);
    await turn();
    other.close();
    await expect(selected).rejects.toThrow(ClosedError);
    expect(one.inspect().consumers).toEqual([]);
    await expect(selectAsync([select.take(one), select.take(other)], { order: 'listed' })).rejects.toThrow(
      'closed and empty',
    );
  });

  test('is ignored with closed "skip", until all sources are closed', async () => {
    const [one, other, third] = [make(), make(), make()];
    one.close();
    other.push(1);
    const sources = [select.take(one), select.take(other), select.take(third)];
    expect(await selectAsync(sources, { closed: 'skip' })).toEqual({ key: 1, value: 1 });
    const selected = selectAsync(sources, { closed: 'skip' });
    await turn();
    other.close();
    await turn();
    third.push(2);
    expect(await selected).toEqual({ key: 2, value: 2 });
    const last = selectAsync(sources, { closed: 'skip' });
    await turn();
    third.close();
    await expect(last).rejects.toThrow(ClosedError);
    await expect(selectAsync(sources, { closed: 'skip', timeout: 1000 })).rejects.toThrow(ClosedError);
  });

  test('differs from an error of the codec: the value is taken, and the error is thrown', async () => {
    const angry: Codec<number> = {
      name: 'angry',
      encode: (value) => Uint8Array.of(value),
      decode: () => {
        throw new ClosedError('mine');
      },
    };
    const buffer = BoundedBuffer.create<number>({ arena, codec: angry, slotBytes: 4 });
    buffer.push(1);
    await expect(selectAsync([select.take(buffer)], { closed: 'skip' })).rejects.toThrow('mine');
    const selected = selectAsync([select.take(buffer)], { closed: 'skip' });
    await turn();
    buffer.push(1);
    await expect(selected).rejects.toThrow('mine');
    expect(buffer.length).toBe(0);
  });
});

test('a selection pushes the value that put() was given', async () => {
  const buffer = BoundedBuffer.create({ arena, codec: 'bytes', slotBytes: 4, capacity: 1 });
  buffer.push(Uint8Array.of(0));
  const bytes = Uint8Array.of(1, 2);
  const selected = selectAsync([select.put(buffer, bytes)]);
  bytes.fill(9);
  await turn();
  buffer.pop();
  await selected;
  expect(buffer.pop()).toEqual(Uint8Array.of(1, 2));
});

test('a freed buffer rejects the selection', async () => {
  const buffer = BoundedBuffer.create({ arena, codec: 'int32' });
  const source = select.take(buffer);
  buffer.free();
  await expect(selectAsync([source])).rejects.toThrow('was freed');
});

describe('wrong calls of select()', () => {
  const one = select.take(BoundedBuffer.create({ arena, codec: 'int32' }));
  test.each([
    ['throw without sources', () => selectAsync([]), 'at least one source: received none'],
    ['no object', () => selectAsync(1 as never), 'must be an object: received 1'],
    [
      'no source',
      () => selectAsync({ job: make() } as never),
      'The source "job" must come from select.take(), select.put(), select.acquire() or select.wait()',
    ],
    [
      'order',
      () => selectAsync([one], { order: 'last' as never }),
      'order must be "random" or "listed": received "last"',
    ],
    ['closed', () => selectAsync([one], { closed: 1 as never }), 'closed must be "reject" or "skip": received 1'],
    ['another option', () => selectAsync([one], { time: 1 } as never), 'Unknown option "time"'],
    ['timeout', () => selectAsync([one], { timeout: -1 }), 'must be 0 ms or more'],
  ])('%s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
  });

  test.each([
    ['take', () => select.take({} as never), 'must be a BoundedBuffer'],
    ['put', () => select.put(make(), 'x' as never), 'must be a number'],
    [
      'acquire',
      () => select.acquire(make() as never),
      'acquire() of a selection takes a semaphore: received an object of type Object',
    ],
    ['acquire of too many', () => select.acquire(Semaphore.create(0, { arena }), 0), 'permits must be a whole number'],
    [
      'wait',
      () => select.wait({ tryWait: () => true, waitAsync: () => Promise.resolve() } as never),
      'takes an event or a countdown latch',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(message);
  });

  test('a signal that was aborted before rejects the selection', async () => {
    const buffer = make();
    buffer.push(1);
    await expect(selectAsync([select.take(buffer)], { signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    expect(buffer.pop()).toBe(1);
  });
});

test('a waiting selection is in every queue, and an ended one in none', async () => {
  const [buffer, other] = [make(), full()];
  const controller = new AbortController();
  const selected = selectAsync([select.take(buffer), select.put(other, 2)], {
    signal: controller.signal,
    ref: false,
  }).catch((reason: unknown) => reason);
  await until(() => buffer.inspect().consumers.length === 1 && other.inspect().producers.length === 1);
  controller.abort(REASON);
  expect(await selected).toBe(REASON);
  expect([buffer.inspect().consumers, other.inspect().producers]).toEqual([[], []]);
  other.pop();
});
