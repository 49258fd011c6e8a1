import { Arena } from '@sluice/core';
import { Session } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { fromWebStream, toWebStream, toWebWritable } from '../src/web-streams.ts';
import { CASES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { until } from './support/until.ts';

const ARENAS = { wasm: Arena.create({ maxPages: 64 }), js: Arena.create({ engine: engineNamed('js'), maxPages: 64 }) };
const make = (capacity = 4): BoundedBuffer<number> =>
  atEnd(BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32', capacity }), expectQuiet);
const all = async <T>(stream: ReadableStream<T>): Promise<T[]> => {
  const values: T[] = [];
  for await (const value of stream as unknown as AsyncIterable<T>) values.push(value);
  return values;
};
/** Returns the remaining values of a buffer, closed or not. */
const rest = (buffer: BoundedBuffer<number>): number[] => (buffer.closed ? [...buffer] : buffer.tryPopMany());
/** A source that counts its pulls, and records why it was cancelled. */
function sourceOf<T>(values: readonly T[]): {
  readonly stream: ReadableStream<T>;
  readonly asked: () => number;
  readonly cancelled: () => unknown;
} {
  let [n, reason]: [number, unknown] = [0, undefined];
  const stream = new ReadableStream<T>(
    {
      pull(controller) {
        if (n < values.length) controller.enqueue(values[n++] as T);
        else controller.close();
      },
      cancel: (why) => void (reason = why),
    },
    { highWaterMark: 0 },
  );
  return { stream, asked: () => n, cancelled: () => reason };
}

describe.each(CASES)('$title', ({ engine, create, ...kind }) => {
  const values = valuesOf(kind, 0, 12);
  const open = (capacity: number): BoundedBuffer<unknown> => atEnd(create(ARENAS[engine], capacity), expectQuiet);

  test('values pass from a stream through two buffers into a stream in order', async () => {
    const [one, two] = [open(1), open(2)];
    const counts = [fromWebStream(sourceOf(values).stream, one), toWebStream(one).pipeTo(toWebWritable(two))];
    expect(await all(toWebStream(two))).toEqual(values);
    expect(await Promise.all(counts)).toEqual([values.length, undefined]);
  });
});

test('each chunk of bytes has its own memory, and the source may reuse its own', async () => {
  const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'bytes', slotBytes: 8, capacity: 2 });
  const reused = new Uint8Array(4);
  let n = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (n === 50) controller.close();
        else controller.enqueue(reused.fill((n += 1)).subarray(0, n % 5));
      },
    },
    { highWaterMark: 0 },
  );
  const read = all(toWebStream(buffer));
  expect(await fromWebStream(stream, buffer)).toBe(50);
  const chunks = await read;
  expect(chunks).toEqual(Array.from({ length: 50 }, (_, at) => new Uint8Array((at + 1) % 5).fill(at + 1)));
  expect(new Set(chunks.map(({ buffer: memory }) => memory)).size).toBe(50);
});

describe('a readable stream', () => {
  test('takes a value only for a read', async () => {
    const buffer = make();
    buffer.pushMany([1, 2, 3]);
    const reader = toWebStream(buffer).getReader();
    await turn();
    expect([buffer.length, await reader.read(), buffer.length]).toEqual([3, { done: false, value: 1 }, 2]);
    await reader.cancel();
    expect([buffer.closed, buffer.popMany()]).toEqual([false, [2, 3]]);
  });

  test('a readable stream that is cancelled while it waits leaves the queue, and the next value stays in the buffer', async () => {
    const buffer = make();
    const reader = toWebStream(buffer).getReader();
    const read = reader.read();
    await turn();
    expect(buffer.inspect().consumers).toHaveLength(1);
    await reader.cancel('enough');
    expect([await read, buffer.inspect().consumers]).toEqual([{ done: true, value: undefined }, []]);
    buffer.push(1);
    await turn();
    expect(buffer.pop()).toBe(1);
  });

  test('a readable stream that is cancelled at any moment has delivered the value, or left it in the buffer', async () => {
    for (let ticks = 0; ticks < 16; ticks++) {
      const buffer = make();
      const reader = toWebStream(buffer).getReader();
      const read = reader.read();
      await turn();
      buffer.push(7);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await reader.cancel();
      const { value } = await read;
      expect([value, buffer.tryPop()].filter((one) => one !== undefined)).toEqual([7]);
    }
  });

  test('a readable stream whose reader is released while it waits takes nothing, and serves the next read', async () => {
    const buffer = make();
    const stream = toWebStream(buffer);
    const first = stream.getReader();
    const read = first.read().catch((failure: unknown) => failure);
    await turn();
    first.releaseLock();
    buffer.pushMany([1, 2]);
    await turn();
    expect([await read, buffer.length]).toEqual([expect.any(TypeError), 2]);
    const second = stream.getReader();
    expect([(await second.read()).value, (await second.read()).value]).toEqual([1, 2]);
    await second.cancel();
  });

  test('ends with the buffer, and fails with the errors of pop()', async () => {
    const buffer = make();
    buffer.push(1);
    buffer.close();
    expect(await all(toWebStream(buffer))).toEqual([1]);
    const freed = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32' });
    const stream = toWebStream(freed);
    freed.free();
    await expect(all(stream)).rejects.toThrow('was freed');
  });

  test('fails with the error of decode, and the values behind that one stay', async () => {
    const angry: Codec<number> = {
      name: 'angry',
      encode: (value) => Uint8Array.of(value),
      decode: ([value = 0]) => {
        if (value === 1) throw new Error('mine');
        return value;
      },
    };
    for (const close of [false, true]) {
      const buffer = BoundedBuffer.create<number>({ arena: ARENAS.wasm, codec: angry, slotBytes: 4 });
      buffer.pushMany([0, 1, 2]);
      const reader = toWebStream(buffer, { close }).getReader();
      expect((await reader.read()).value).toBe(0);
      await expect(reader.read()).rejects.toThrow('mine');
      expect([buffer.closed, buffer.pop()]).toEqual([close, 2]);
    }
  });

  test('closes the buffer when it is cancelled only if asked to', async () => {
    for (const close of [false, true]) {
      const buffer = make();
      buffer.push(1);
      await toWebStream(buffer, { close }).cancel();
      expect([buffer.closed, buffer.pop()]).toEqual([close, 1]);
    }
  });
});

describe('a writable stream', () => {
  test('resolves a write when its value is in the buffer, and makes its source wait while the buffer is full', async () => {
    const buffer = make(1);
    const { stream, asked } = sourceOf([1, 2, 3, 4, 5]);
    const piped = stream.pipeTo(toWebWritable(buffer));
    await until(() => buffer.inspect().producers.length === 1);
    // One value is in the buffer, one in a waiting write.
    expect(asked()).toBe(2);
    expect(await all(toWebStream(buffer))).toEqual([1, 2, 3, 4, 5]);
    await piped;
    expect(buffer.closed).toBe(true);
  });

  test('a writable stream that is aborted while a write waits has pushed the value if the write resolved', async () => {
    for (let ticks = 0; ticks < 16; ticks++) {
      const buffer = make(1);
      const writer = toWebWritable(buffer).getWriter();
      const writes = [1, 2, 3].map((value) =>
        writer.write(value).then(
          () => value,
          () => 0,
        ),
      );
      writer.closed.catch(() => undefined);
      await turn();
      expect(buffer.pop()).toBe(1);
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await writer.abort(new Error('enough'));
      const written = (await Promise.all(writes)).filter((value) => value !== 0);
      expect([[1, ...rest(buffer)], buffer.closed]).toEqual([written, true]);
    }
  });

  test('fails with the errors of push(), and then closes the buffer, as at its end, unless told not to', async () => {
    for (const close of [true, false]) {
      for (const end of ['close', 'abort', 'wrong value'] as const) {
        const buffer = make();
        const writer = toWebWritable(buffer, { close }).getWriter();
        writer.closed.catch(() => undefined);
        await writer.write(1);
        if (end === 'close') await writer.close();
        else if (end === 'abort') await writer.abort();
        else await expect(writer.write('x' as never)).rejects.toThrow('must be a number');
        expect([end, buffer.closed, buffer.pop()]).toEqual([end, close, 1]);
      }
    }
  });

  test('fails when the buffer is closed by another agent', async () => {
    const buffer = make(1);
    const writer = toWebWritable(buffer).getWriter();
    const writes = [writer.write(1), writer.write(2)];
    writer.closed.catch(() => undefined);
    await turn();
    buffer.close();
    expect((await Promise.allSettled(writes)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect([...buffer]).toEqual([1]);
  });
});

describe('fromWebStream', () => {
  test('reads a value only after the previous one is in the buffer', async () => {
    const buffer = make(1);
    const { stream, asked } = sourceOf([1, 2, 3]);
    const count = fromWebStream(stream, buffer);
    await until(() => buffer.inspect().producers.length === 1);
    expect([asked(), buffer.pop()]).toEqual([2, 1]);
    expect([await buffer.popAsync(), await buffer.popAsync(), await count, buffer.closed]).toEqual([2, 3, 3, true]);
  });

  test('hands over the value that it could not push, and cancels its source, when the buffer is closed', async () => {
    const buffer = make(1);
    const { stream, asked, cancelled } = sourceOf([1, 2, 3]);
    const undelivered: number[] = [];
    const count = fromWebStream(stream, buffer, { undelivered: (value) => undelivered.push(value) });
    await until(() => buffer.inspect().producers.length === 1);
    buffer.close();
    await expect(count).rejects.toThrow('is closed');
    expect([asked(), undelivered, [...buffer]]).toEqual([2, [2], [1]]);
    expect(cancelled()).toBe(await count.catch((failure: unknown) => failure));
  });

  test('a fromWebStream() that is aborted at any moment loses no value', async () => {
    const reason = new Error('enough');
    for (const close of [true, false]) {
      for (let ticks = 0; ticks < 24; ticks++) {
        const buffer = make(1);
        const { stream, asked, cancelled } = sourceOf([1, 2, 3, 4]);
        const undelivered: number[] = [];
        const controller = new AbortController();
        const options = { close, signal: controller.signal, undelivered: (value: number) => undelivered.push(value) };
        const count = fromWebStream(stream, buffer, options).catch((failure: unknown) => failure);
        const first = await buffer.popAsync();
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        controller.abort(reason);
        expect(await count).toBe(reason);
        const seen = [first, ...rest(buffer), ...undelivered];
        expect([seen, cancelled(), buffer.closed]).toEqual([[1, 2, 3, 4].slice(0, asked()), reason, close]);
        expect(stream.locked).toBe(false);
      }
    }
  });

  test('a fromWebStream() that waits for its source is ended by an abort', async () => {
    const buffer = make();
    const controller = new AbortController();
    const count = fromWebStream(new ReadableStream<number>(), buffer, { signal: controller.signal });
    await turn();
    controller.abort(new Error('enough'));
    await expect(count).rejects.toThrow('enough');
  });

  test('fails with the error of its source, and closes the buffer', async () => {
    const buffer = make();
    const stream = new ReadableStream<number>(
      {
        start(controller) {
          controller.enqueue(1);
        },
        pull() {
          throw new Error('theirs');
        },
      },
      { highWaterMark: 2 },
    );
    await expect(fromWebStream(stream, buffer)).rejects.toThrow('theirs');
    expect(buffer.closed).toBe(true);
  });
});

test('adapters of web streams throw for wrong arguments', async () => {
  const buffer = make();
  const { stream } = sourceOf([1]);
  expect(() => toWebStream({} as never)).toThrow('must be a BoundedBuffer');
  expect(() => toWebWritable(1 as never)).toThrow('must be a BoundedBuffer');
  expect(() => toWebStream(buffer, { close: 1 as never })).toThrow('close must be a boolean: received 1');
  expect(() => toWebStream(buffer, { signal: 1 } as never)).toThrow('Unknown option "signal"');
  expect(() => toWebWritable(buffer, { undelivered: 1 as never })).toThrow('must be a function');
  await expect(fromWebStream(stream, buffer, { undelivered: 1 as never })).rejects.toThrow('must be a function');
  await expect(fromWebStream(stream, buffer, { signal: AbortSignal.abort('early') })).rejects.toBe('early');
  expect([stream.locked, buffer.closed]).toEqual([false, false]);
  const reader = stream.getReader();
  await expect(fromWebStream(stream, buffer)).rejects.toThrow(TypeError);
  expect(buffer.closed).toBe(false);
  reader.releaseLock();
});

test('random chunks through streams that are cancelled at random moments each arrive once and in order', async () => {
  const session = new Session('web streams');
  const { random } = session;
  let passed = 0;
  for (let round = 0; round < 60; round++) {
    const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'bytes', ringBytes: random.between(64, 256) });
    const chunks = Array.from({ length: random.between(1, 60) }, (_, n) =>
      Uint8Array.from({ length: random.between(1, 40) }, () => n),
    );
    const writing = fromWebStream(sourceOf(chunks).stream, buffer);
    const seen: Uint8Array[] = [];
    for (let isOver = false; !isOver; ) {
      const reader = toWebStream(buffer).getReader();
      const most = random.below(8);
      const reads: Promise<ReadableStreamReadResult<Uint8Array>>[] = [];
      for (let n = 0; n < most; n++) {
        reads.push(reader.read());
        if (random.chance(50)) await turn();
        else for (let ticks = random.below(8); ticks > 0; ticks--) await Promise.resolve();
      }
      const isEnd = buffer.closed && buffer.length === 0;
      await reader.cancel();
      for (const { value } of await Promise.all(reads)) if (value !== undefined) seen.push(value);
      isOver = isEnd;
    }
    expect(seen).toEqual(chunks);
    expect(await writing).toBe(chunks.length);
    passed += chunks.length;
    expectQuiet(buffer);
    buffer.free();
  }
  session.done(passed);
});

test('the value of an aborted write goes to undelivered', async () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 1 });
  buffer.push(0);
  const lost: number[] = [];
  const writer = toWebWritable(buffer, { close: false, undelivered: (value: number) => lost.push(value) }).getWriter();
  const written = writer.write(1);
  await turn();
  await Promise.allSettled([writer.abort('enough'), written]);
  expect([lost, buffer.tryPopMany()]).toEqual([[1], [0]]);
});
