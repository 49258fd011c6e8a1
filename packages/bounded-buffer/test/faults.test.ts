// A function of the caller throws at each point at which a call owns a side of the buffer or is about to own it.
// Afterwards the side is free.

import { expect, test } from 'vitest';
import { BoundedBuffer, BufferReader, BufferWriter, type Codec } from '../src/index.ts';

const FAULT = new Error('the fault');

function fail(): never {
  throw FAULT;
}

/** Bytes whose own code runs while they are copied. */
class Deceptive extends Uint8Array {
  static get [Symbol.species](): Uint8ArrayConstructor {
    return fail();
  }

  override get length(): number {
    return 1;
  }
}

interface Fault {
  readonly name: string;
  readonly codec: Codec<unknown> | 'json' | 'bytes';
  readonly value: unknown;
}

const codec = (parts: Partial<Codec<unknown>>): Codec<unknown> => ({
  name: 'own',
  encode: () => Uint8Array.of(1, 2),
  decode: ([first]) => first,
  ...parts,
});

const WRITING: readonly Fault[] = [
  { name: 'a codec whose encode throws', codec: codec({ encode: fail }), value: 1 },
  { name: 'a codec that returns no bytes', codec: codec({ encode: () => 'text' as never }), value: 1 },
  {
    name: 'a codec that returns a proxy',
    codec: codec({ encode: () => new Proxy(new Uint8Array(1), { get: fail }) }),
    value: 1,
  },
  { name: 'a toJSON that throws', codec: 'json', value: { toJSON: fail } },
  {
    name: 'a getter that throws',
    codec: 'json',
    value: {
      get bad() {
        return fail();
      },
    },
  },
  { name: 'a proxy that throws', codec: 'json', value: new Proxy({}, { ownKeys: fail, get: () => undefined }) },
  { name: 'a value that JSON cannot represent', codec: 'json', value: () => 1 },
  { name: 'a value that is not bytes', codec: 'bytes', value: new Proxy(new Uint8Array(1), { get: fail }) },
];

type Call = (buffer: BoundedBuffer<unknown>, value: unknown) => unknown;

const WRITES: Readonly<Record<string, Call>> = {
  push: (buffer, value) => buffer.push(value),
  tryPush: (buffer, value) => buffer.tryPush(value),
  pushAsync: (buffer, value) => buffer.pushAsync(value),
  pushMany: (buffer, value) => buffer.pushMany([value]),
  tryPushMany: (buffer, value) => buffer.tryPushMany([value]),
  pushManyAsync: (buffer, value) => buffer.pushManyAsync([value]),
};

const settled = async (act: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(act)
    .then(
      () => 'done',
      (failure: unknown) => failure,
    );

/** Checks that no side is owned, that no agent waits, and that values pass. */
function expectFree(buffer: BoundedBuffer<unknown>, length: number): void {
  const { producers, consumers } = buffer.inspect();
  expect([buffer.length, producers.length, consumers.length]).toEqual([length, 0, 0]);
}

for (const { name, codec: of, value } of WRITING) {
  test.each(Object.entries(WRITES))(`%s with ${name} fails and leaves the buffer unchanged`, async (_, call) => {
    const buffer = BoundedBuffer.create<unknown>({ codec: of as never });
    expect(await settled(() => call(buffer, value))).toBeInstanceOf(Error);
    expectFree(buffer, 0);
    buffer.close();
    buffer.free();
  });
}

test.each(Object.entries(WRITES))(
  '%s with an instance of a subclass of Uint8Array pushes its bytes without running code of the subclass',
  async (_, call) => {
    const buffer = BoundedBuffer.create<unknown>({ codec: 'bytes' as never });
    for (let round = 0; round < 3; round++) {
      expect(await settled(() => call(buffer, new Deceptive([7, 8, 9])))).toBe('done');
      await settled(() => call(buffer, Uint8Array.of(1)));
      expect([...(buffer.pop() as Uint8Array)]).toEqual([7, 8, 9]);
      expect([...(buffer.pop() as Uint8Array)]).toEqual([1]);
    }
    expectFree(buffer, 0);
  },
);

test('reusing a Buffer after an async push does not change the pushed value', async () => {
  const bytes = BoundedBuffer.create<Uint8Array>({ codec: 'bytes', capacity: 4, slotBytes: 8 });
  const reused = Buffer.from([1, 2]);
  while (bytes.tryPush(Uint8Array.of(0)));
  const later = bytes.pushAsync(reused);
  reused.fill(9);
  while (bytes.length > 0) expect([...bytes.pop()]).toEqual([0]);
  await later;
  expect([...bytes.pop()]).toEqual([1, 2]);
});

const READS: Readonly<Record<string, (buffer: BoundedBuffer<unknown>) => unknown>> = {
  pop: (buffer) => buffer.pop(),
  tryPop: (buffer) => buffer.tryPop(),
  popAsync: (buffer) => buffer.popAsync(),
  popMany: (buffer) => buffer.popMany(),
  tryPopMany: (buffer) => buffer.tryPopMany(),
  popManyAsync: (buffer) => buffer.popManyAsync(),
  'a loop': (buffer) => [...buffer],
  'an async loop': async (buffer) => {
    for await (const value of buffer) expect(value).toBe(1);
  },
};

test.each(Object.entries(READS))('%s takes only the value whose codec throws', async (_, call) => {
  const buffer = BoundedBuffer.create<unknown>({ codec: codec({ decode: fail }) });
  for (const value of [1, 2]) buffer.push(value);
  expect(await settled(() => call(buffer))).toBe(FAULT);
  expectFree(buffer, 1);
});

test.each(Object.entries(READS))('%s takes nothing if onTake throws', async (_, call) => {
  const { handle } = BoundedBuffer.create({ codec: 'float64', capacity: 4 });
  const buffer = BoundedBuffer.from(handle, { onTake: fail }) as BoundedBuffer<unknown>;
  buffer.push(1);
  expect(await settled(() => call(buffer))).toBe(FAULT);
  expectFree(buffer, 1);
});

test('claim() and peek() that throw leave the side free', () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 4 });
  const [writer, reader] = [new BufferWriter(buffer), new BufferReader(buffer)];
  for (const bad of [-1, 0.5, NaN, '1' as never, {} as never]) {
    expect(() => writer.claim(bad)).toThrow();
    expect(() => reader.peek(bad)).toThrow();
  }
  writer.claim(2);
  for (const bad of [-1, 3, '1' as never]) expect(() => writer.commit(bad)).toThrow();
  writer.commit();
  reader.peek();
  for (const bad of [-1, 3, '1' as never]) expect(() => reader.consume(bad)).toThrow();
  reader.consume();
  expectFree(buffer, 0);
});
