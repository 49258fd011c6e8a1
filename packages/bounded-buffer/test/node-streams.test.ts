import { Arena } from '@sluice/core';
import { Session } from '@sluice/harness';
import { once } from 'node:events';
import { PassThrough, Readable, Transform, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer, type Codec } from '../src/index.ts';
import { toDuplex, toReadable, toWritable } from '../src/node-streams.ts';
import { CASES, valuesOf } from './support/kinds.ts';
import { atEnd, expectQuiet } from './support/rest.ts';
import { until } from './support/until.ts';

const ARENAS = { wasm: Arena.create({ maxPages: 64 }), js: Arena.create({ engine: engineNamed('js'), maxPages: 64 }) };
const make = (capacity = 4): BoundedBuffer<number> =>
  atEnd(BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32', capacity }), expectQuiet);
const ENOUGH = new Error('enough');
/** Resolves when the stream has closed, with or without an error. */
const closed = (stream: Readable | Writable): Promise<unknown> =>
  stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve(undefined)));

describe.each(CASES)('$title', ({ engine, create, ...kind }) => {
  // The fourth of the JSON values is null, which no stream can carry.
  const values = valuesOf(kind, 0, 15).filter((value) => value !== null);
  const open = (capacity: number): BoundedBuffer<unknown> => atEnd(create(ARENAS[engine], capacity), expectQuiet);

  test('values pass from a stream through two buffers into a stream in order', async () => {
    const [one, two] = [open(1), open(2)];
    const piped = [
      pipeline(Readable.from(values), toWritable(one)),
      pipeline(toReadable(one), new PassThrough({ objectMode: true }), toWritable(two)),
    ];
    const seen: unknown[] = [];
    for await (const value of toReadable(two)) seen.push(value);
    expect(seen).toEqual(values);
    await Promise.all(piped);
    expect([one.closed, two.closed]).toEqual([true, true]);
  });
});

test('each chunk of bytes has its own memory, and the source may reuse its own', async () => {
  const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'bytes', slotBytes: 8, capacity: 2 });
  const reused = Buffer.alloc(4);
  const writable = toWritable(buffer);
  const chunks: Uint8Array[] = [];
  const reading = finished(toReadable(buffer).on('data', (chunk: Uint8Array) => chunks.push(chunk)));
  for (let n = 1; n <= 50; n++) {
    await new Promise((resolve) => writable.write(reused.fill(n).subarray(0, n % 5), resolve));
  }
  writable.end();
  await reading;
  expect(chunks).toEqual(Array.from({ length: 50 }, (_, at) => new Uint8Array((at + 1) % 5).fill(at + 1)));
});

describe('a Readable', () => {
  test('takes a value only when its consumer asks for one', async () => {
    const buffer = make();
    buffer.pushMany([1, 2, 3]);
    const stream = toReadable(buffer);
    await turn();
    expect(buffer.length).toBe(3);
    for await (const value of stream) {
      expect([value, buffer.length]).toEqual([1, 2]);
      break;
    }
    expect([buffer.popMany(), buffer.closed]).toEqual([[2, 3], false]);
  });

  test('a Readable that is destroyed while it waits leaves the queue, and the next value stays in the buffer', async () => {
    const buffer = make();
    const stream = toReadable(buffer).on('data', () => undefined);
    await until(() => buffer.inspect().consumers.length === 1);
    stream.destroy();
    await closed(stream);
    expect(buffer.inspect().consumers).toEqual([]);
    buffer.push(1);
    await turn();
    expect(buffer.pop()).toBe(1);
  });

  test.each(['flowing', 'paused', 'by read()'] as const)(
    'a Readable that is destroyed at any moment, %s, has delivered each value, handed it over, or left it in the buffer',
    async (mode) => {
      for (let ticks = 0; ticks < 24; ticks++) {
        const buffer = make();
        const seen: number[] = [];
        const undelivered: number[] = [];
        const stream = toReadable(buffer, { undelivered: (value) => undelivered.push(value) });
        if (mode === 'by read()') stream.on('readable', () => undefined);
        else stream.on('data', (value: number) => seen.push(value));
        await turn();
        if (mode === 'paused') stream.pause();
        buffer.pushMany([1, 2, 3]);
        for (let tick = 0; tick < ticks; tick++) await (tick < 20 ? Promise.resolve() : turn());
        if (mode === 'by read()' && ticks % 2 === 1) {
          const value = stream.read() as number | null;
          if (value !== null) seen.push(value);
        }
        stream.destroy();
        await closed(stream);
        expect([...seen, ...undelivered, ...buffer.tryPopMany()]).toEqual([1, 2, 3]);
        expect(undelivered.length).toBeLessThan(2);
      }
    },
  );

  test('ends with the buffer, which may then be freed', async () => {
    const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32' });
    const stream = toReadable(buffer, { close: true });
    const seen: unknown[] = [];
    stream.on('data', (value) => seen.push(value));
    stream.on('end', () => buffer.free());
    buffer.push(1);
    await until(() => seen.length === 1);
    buffer.close();
    await closed(stream);
    expect([seen, stream.errored]).toEqual([[1], null]);
  });

  test('closes the buffer when it is destroyed only if asked to', async () => {
    for (const close of [false, true]) {
      const buffer = make();
      buffer.push(1);
      const stream = toReadable(buffer, { close });
      stream.on('error', () => undefined).destroy(ENOUGH);
      await closed(stream);
      expect([buffer.closed, buffer.pop(), stream.errored]).toEqual([close, 1, ENOUGH]);
    }
  });

  test('is destroyed by an error of decode, and by a null', async () => {
    const angry: Codec<number | null> = {
      name: 'angry',
      encode: (value) => Uint8Array.of(value ?? 255),
      decode: ([value]) => {
        if (value === 1) throw new Error('mine');
        return value === 255 ? null : (value ?? 0);
      },
    };
    const buffer = BoundedBuffer.create<number | null>({
      arena: ARENAS.wasm,
      codec: angry,
      slotBytes: 4,
      name: 'angry',
    });
    buffer.pushMany([1, null, 2]);
    const undelivered: unknown[] = [];
    const open = (): Readable => toReadable(buffer, { undelivered: (value) => undelivered.push(value) });
    await expect(once(open(), 'data')).rejects.toThrow('mine');
    await expect(once(open(), 'data')).rejects.toThrow(
      `BoundedBuffer 'angry' had the value null, which ends a stream of Node.js.`,
    );
    const last = open();
    expect([await once(last, 'data'), undelivered]).toEqual([[2], [null]]);
    last.destroy();
    await closed(last);
    buffer.free();
  });

  test('fails with the errors of pop()', async () => {
    const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32' });
    const stream = toReadable(buffer);
    buffer.free();
    await expect(once(stream, 'data')).rejects.toThrow('was freed');
  });

  test('calls its listeners outside of the call on the buffer, so they may use it', async () => {
    const buffer = make();
    const seen: unknown[] = [];
    const stream = toReadable(buffer).on('data', (value) => seen.push(value, buffer.tryPop()));
    await until(() => buffer.inspect().consumers.length === 1);
    buffer.pushMany([1, 2]);
    await until(() => seen.length === 2);
    expect(seen).toEqual([1, 2]);
    stream.destroy();
    await closed(stream);
  });
});

describe('a Writable', () => {
  test('holds its source back while the buffer is full', async () => {
    const buffer = make(1);
    let asked = 0;
    const source = new Readable({
      objectMode: true,
      highWaterMark: 1,
      read() {
        this.push(asked === 20 ? null : (asked += 1));
      },
    });
    const piped = pipeline(source, toWritable(buffer));
    await until(() => buffer.inspect().producers.length === 1);
    await turn();
    // One value is in the buffer, one in a waiting write, and the others in the queue of each stream.
    expect(asked).toBeLessThanOrEqual(5);
    const seen: number[] = [];
    for await (const value of buffer) seen.push(value);
    await piped;
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  test('a Writable that is destroyed at any moment has pushed a value if its callback got no error', async () => {
    for (const failure of [undefined, ENOUGH]) {
      for (let ticks = 0; ticks < 16; ticks++) {
        const buffer = make(1);
        const stream = toWritable(buffer).on('error', () => undefined);
        const written: number[] = [];
        const calls = [1, 2, 3].map(
          (value) =>
            new Promise<void>((resolve) =>
              stream.write(value, (error) => {
                if (error === null || error === undefined) written.push(value);
                resolve();
              }),
            ),
        );
        await turn();
        expect(buffer.pop()).toBe(1);
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        stream.destroy(failure);
        await Promise.all([...calls, closed(stream)]);
        expect([[1, ...buffer], buffer.closed]).toEqual([written, true]);
      }
    }
  });

  test('closes the buffer when it ends, is destroyed or fails, unless told not to', async () => {
    for (const close of [true, false]) {
      for (const end of ['end', 'destroy', 'wrong value'] as const) {
        const buffer = make();
        const stream = toWritable(buffer, { close }).on('error', () => undefined);
        await new Promise((resolve) => stream.write(1, resolve));
        if (end === 'end') stream.end();
        else if (end === 'destroy') stream.destroy();
        else stream.write('x');
        await closed(stream);
        expect([end, buffer.closed, buffer.pop()]).toEqual([end, close, 1]);
      }
    }
  });

  test('fails when the buffer is closed by another agent', async () => {
    const buffer = make();
    const stream = toWritable(buffer);
    buffer.close();
    const failed = once(stream, 'error');
    stream.write(1);
    expect((await failed)[0]).toMatchObject({ code: 'SLUICE_CLOSED' });
  });
});

describe('a Duplex', () => {
  test('reads from one buffer and writes to the other, and its halves end separately', async () => {
    const [questions, answers] = [make(1), make(1)];
    const served = pipeline(
      toReadable(questions),
      new Transform({ objectMode: true, transform: (value: number, _, done) => done(null, 2 * value) }),
      toWritable(answers),
    );
    const asker = toDuplex(answers, questions);
    const seen: unknown[] = [];
    asker.on('data', (value) => seen.push(value));
    for (const value of [1, 2, 3]) asker.write(value);
    asker.end();
    await Promise.all([served, finished(asker)]);
    expect([seen, questions.closed, answers.closed]).toEqual([[2, 4, 6], true, true]);
  });

  test('a Duplex that is destroyed closes its buffers as its options say', async () => {
    for (const [closeSource, closeTarget] of [
      [false, true],
      [true, false],
    ] as const) {
      const [source, target] = [make(), make()];
      const stream = toDuplex(source, target, { closeSource, closeTarget });
      stream.on('data', () => undefined);
      await until(() => source.inspect().consumers.length === 1);
      stream.destroy();
      await closed(stream);
      expect([source.closed, target.closed, source.inspect().consumers]).toEqual([closeSource, closeTarget, []]);
    }
  });
});

test('adapters of Node.js streams throw for wrong arguments', () => {
  const buffer = make();
  expect(() => toReadable({} as never)).toThrow('must be a BoundedBuffer');
  expect(() => toWritable(1 as never)).toThrow('must be a BoundedBuffer');
  expect(() => toDuplex(buffer, [] as never)).toThrow('must be a BoundedBuffer');
  expect(() => toReadable(buffer, { close: 1 as never })).toThrow('close must be a boolean: received 1');
  expect(() => toReadable(buffer, { undelivered: 1 as never })).toThrow('must be a function');
  expect(() => toWritable(buffer, { undelivered: 1 as never })).toThrow('must be a function');
  expect(() => toDuplex(buffer, buffer, { undeliveredToTarget: 1 as never })).toThrow('must be a function');
  expect(() => toDuplex(buffer, buffer, { closeTarget: 'no' as never })).toThrow(
    'closeTarget must be a boolean: received "no"',
  );
});

test('random values through streams that are destroyed at random moments each arrive once and in order', async () => {
  const session = new Session('node streams');
  const { random } = session;
  let passed = 0;
  for (let round = 0; round < 60; round++) {
    const buffer = BoundedBuffer.create({ arena: ARENAS.wasm, codec: 'int32', capacity: random.between(1, 5) });
    const count = random.between(1, 60);
    const values = Array.from({ length: count }, (_, n) => n);
    const writing = pipeline(Readable.from(values, { highWaterMark: random.between(1, 4) }), toWritable(buffer));
    const seen: number[] = [];
    while (!(buffer.closed && buffer.length === 0)) {
      const stream = toReadable(buffer, { undelivered: (value) => seen.push(value) });
      if (random.chance(50)) stream.on('data', (value: number) => seen.push(value));
      else
        stream.on('readable', () => {
          const value = random.chance(70) ? (stream.read() as number | null) : null;
          if (value !== null) seen.push(value);
        });
      if (random.chance(50)) stream.pause();
      for (let turns = random.below(4); turns > 0; turns--) await turn();
      if (random.chance(50)) stream.resume();
      for (let ticks = random.below(20); ticks > 0; ticks--) await Promise.resolve();
      stream.destroy();
      await closed(stream);
    }
    await writing;
    expect(seen).toEqual(values);
    passed += count;
    expectQuiet(buffer);
    buffer.free();
  }
  session.done(passed);
});

test.each(Array.from({ length: 12 }, (_, jobs) => jobs))(
  'a pipeline between two buffers that is aborted after %i jobs loses no value',
  async (jobs) => {
    const [from, to] = [make(8), make(1)];
    from.pushMany([1, 2, 3, 4, 5]);
    const lost: number[] = [];
    const undelivered = (value: number): void => void lost.push(value);
    const controller = new AbortController();
    const piped = pipeline(toReadable(from, { undelivered }), toWritable(to, { close: false, undelivered }), {
      signal: controller.signal,
    });
    // Until the target is full, and a value waits to be pushed.
    await until(() => to.length === 1 && from.length < 4);
    if (jobs > 6) to.pop();
    for (let n = 0; n < jobs; n++) await Promise.resolve();
    controller.abort();
    await expect(piped).rejects.toThrow('aborted');
    await turn();
    const taken = jobs > 6 ? [1] : [];
    expect([...taken, ...to.tryPopMany(), ...lost, ...from.tryPopMany()].toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5,
    ]);
  },
);

test('values that a Writable holds when it is destroyed go to undelivered, even if their writer did not wait', async () => {
  const buffer = make(1);
  const lost: number[] = [];
  const writable = toWritable(buffer, { undelivered: (value: number) => lost.push(value) });
  writable.on('error', () => undefined);
  for (const value of [1, 2, 3, 4]) writable.write(value, () => undefined);
  await until(() => buffer.length === 1);
  writable.destroy();
  await closed(writable);
  expect([...buffer.tryPopMany(), ...lost].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
});

test('a Duplex passes a value that reached no buffer to the undelivered function of its half', async () => {
  const [source, target] = [make(4), make(1)];
  target.push(0);
  const lost: string[] = [];
  const duplex = toDuplex(source, target, { undeliveredToTarget: (value: number) => lost.push(`target ${value}`) });
  duplex.on('error', () => undefined);
  duplex.write(1, () => undefined);
  await turn();
  duplex.destroy();
  await closed(duplex);
  expect([lost, target.tryPopMany()]).toEqual([['target 1'], [0]]);
});
