// The promises of a lazy to agents of one thread. Those that it shares with the once are in once.test.ts.

import { Arena, ClosedError, DeadlockError, MisuseError } from '@sluice/core';
import { deserialize, serialize } from 'node:v8';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Lazy, type LazyBytesOptions, type ValueCodec } from '../src/index.ts';
import './support/kinds.ts';
import { expectOnceAtRest } from './support/once-rest.ts';

const STRUCTURED: ValueCodec<Map<string, Date>> = {
  name: 'v8',
  encode: serialize,
  decode: (bytes) => deserialize(bytes) as Map<string, Date>,
};

function never(): never {
  throw new Error('no value');
}

describe.each(['wasm', 'js'] as const)('Lazy (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64 });
  const other = secondAgent(arena);

  function openTheirs<T>(ours: Lazy<T>, codec?: ValueCodec<T>): Lazy<T> {
    return openAs(other, ours.handle, (handle) => Lazy.from<T>(handle, codec === undefined ? {} : { codec }));
  }

  /** Two instances of one lazy, one per agent. */
  function create<T>(options: LazyBytesOptions<T> = {}): { ours: Lazy<T>; theirs: Lazy<T> } {
    const ours = Lazy.create<T>({ arena, name: 'config', ...options });
    return { ours, theirs: openTheirs(ours, typeof options.codec === 'object' ? options.codec : undefined) };
  }

  test('the first call computes the value, and every form of call returns it in all agents', async () => {
    const { ours, theirs } = create<{ port: number }>();
    expect([ours.value, theirs.tryWait(), ours.isDone]).toEqual([undefined, undefined, false]);
    const value = ours.get(() => ({ port: 8080 }));
    expect(value).toEqual({ port: 8080 });
    for (const lazy of [ours, theirs]) {
      const all = [
        lazy.get(never),
        lazy.tryGet(never),
        lazy.tryGet(never, 5),
        await lazy.getAsync(never),
        lazy.wait(),
        lazy.tryWait(),
        await lazy.waitAsync(),
        lazy.value,
      ];
      for (const each of all) expect(each).toEqual({ port: 8080 });
      // Each agent decodes the value once.
      expect(new Set(all).size).toBe(1);
    }
    expectOnceAtRest(arena, ours, 'done');
  });

  test.each([0, -1, 2 ** 31 - 1, -(2 ** 31)])('int32: %i', (value) => {
    const ours = Lazy.create({ arena, codec: 'int32' });
    expect([ours.get(() => value), openTheirs(ours).value]).toEqual([value, value]);
    ours.free();
  });

  test.each([0, -0, 0.1, Number.NaN, -Infinity, Number.MAX_VALUE])('float64: %d', (value) => {
    const ours = Lazy.create({ arena, codec: 'float64' });
    expect([ours.get(() => value), openTheirs(ours).value]).toEqual([value, value]);
    ours.free();
  });

  test('bytes of every length up to the capacity are copied', () => {
    for (const length of [0, 1, 127, 128, 129, 100_000]) {
      const ours = Lazy.create({ arena, codec: 'bytes', capacity: Math.max(1, length) });
      const bytes = Uint8Array.from({ length }, (_, index) => index);
      const mine = ours.get(() => bytes);
      bytes.fill(7);
      const theirs = openTheirs(ours).wait();
      expect([mine.length, theirs.every((byte, index) => byte === index % 256)]).toEqual([length, true]);
      expect(mine.buffer).not.toBe(theirs.buffer);
      ours.free();
    }
  });

  test.each([null, false, 'grüße 🌊', [1, [2]], { deep: { er: true } }])('json: %j', (value) => {
    const { ours, theirs } = create<unknown>();
    expect([ours.get(() => value), theirs.value]).toEqual([value, value]);
    ours.free();
  });

  test('a custom codec works if each agent supplies it', () => {
    const { ours, theirs } = create({ codec: STRUCTURED });
    const value = new Map([['began', new Date(5)]]);
    expect([ours.get(() => value), theirs.value]).toEqual([value, value]);
    expect(() => Lazy.from(ours.handle)).toThrow(
      'The lazy was made with the codec "v8": pass it, from(handle, { codec })',
    );
    expect(() => Lazy.from(ours.handle, { codec: { ...STRUCTURED, name: 'v9' } })).toThrow(
      'The lazy was made with the codec "v8": received "v9"',
    );
  });

  test('the attempt fails if the codec cannot represent the value, if it is too long, or if it cannot be decoded', async () => {
    const ours = Lazy.create({ arena, codec: 'int32', name: 'port' });
    for (const [wrong, Kind] of [
      [0.5, RangeError],
      [2 ** 31, RangeError],
      ['1', TypeError],
      [undefined, TypeError],
    ] as const) {
      expect(() => ours.get(() => wrong as number)).toThrow(
        /^Lazy 'port': a value must be a (whole )?number.*, received .*\. The attempt failed\.$/,
      );
      await expect(ours.getAsync(() => Promise.resolve(wrong as number))).rejects.toBeInstanceOf(Kind);
    }
    const text = create<unknown>({ capacity: 8 });
    expect(() => text.ours.get(() => undefined)).toThrow(TypeError);
    expect(() => text.ours.get(() => '1234567')).toThrow(
      "Lazy 'config': a value may have at most 8 bytes, received one of 9. The attempt failed.",
    );
    expect(text.theirs.get(() => '123456')).toBe('123456');
    const unreadable = create({
      codec: { name: 'odd', encode: (value: number) => Uint8Array.of(value), decode: never },
    });
    expect(() => unreadable.ours.get(() => 1)).toThrow('no value');
    expect([ours.isDone, unreadable.ours.isDone, unreadable.ours.inspect().failures]).toEqual([false, false, 1]);
    const garbage = create<number>({
      codec: { name: 'garbage', encode: () => 'text' as unknown as Uint8Array, decode: () => 1 },
    });
    expect(() => garbage.ours.get(() => 1)).toThrow('the codec garbage must encode to a Uint8Array, received "text"');
  });

  test('bytes that change their length between the check and the copy are written as they were checked', () => {
    class Growing extends Uint8Array {
      override get length(): number {
        return 1;
      }
    }
    const { ours } = create<Uint8Array>({ codec: 'bytes', capacity: 4 });
    expect(() => ours.get(() => new Growing(8))).toThrow('a value may have at most 4 bytes, received one of 8');
    expect(Array.from(ours.get(() => new Growing(3)))).toEqual([0, 0, 0]);
  });

  test('the next call computes the value after an initialiser has failed', async () => {
    const { ours, theirs } = create<number>();
    expect(() => ours.get(never)).toThrow('no value');
    await expect(theirs.getAsync(never)).rejects.toThrow('no value');
    expect([theirs.tryGet(() => 3), ours.value, ours.inspect().failures]).toEqual([3, 3, 2]);
  });

  test('waiters get the value of an async initialiser, or one of them computes it if that initialiser fails', async () => {
    for (const fails of [false, true]) {
      const { ours, theirs } = create<string>();
      let settle = (): void => undefined;
      const slow = new Promise<string>((resolve, reject) => {
        settle = () => (fails ? reject(new Error('no value')) : resolve('first'));
      });
      const first = theirs.getAsync(() => slow).catch((failure: unknown) => failure);
      const rest = [ours.getAsync(() => 'second'), theirs.getAsync(() => 'second'), ours.waitAsync()];
      expect([ours.tryGet(never), ours.tryGet(never, 1), ours.value]).toEqual([undefined, undefined, undefined]);
      settle();
      expect(await first).toEqual(fails ? expect.any(Error) : 'first');
      const expected = fails ? 'second' : 'first';
      expect(await Promise.all(rest)).toEqual([expected, expected, expected]);
      expectOnceAtRest(arena, ours, 'done');
    }
  });

  test('get() throws for a function that returns a promise, and an initialiser that calls get() of its lazy gets a DeadlockError', () => {
    const { ours } = create<unknown>();
    // @ts-expect-error -- the type forbids it, too
    expect(() => ours.get(() => Promise.resolve(1))).toThrow(MisuseError);
    ours.get(() => {
      expect(() => ours.get(never)).toThrow(DeadlockError);
      expect(() => ours.wait()).toThrow(DeadlockError);
      expect([ours.value, ours.tryGet(never), ours.tryWait()]).toEqual([undefined, undefined, undefined]);
      return 1;
    });
    expect(ours.value).toBe(1);
  });

  test('close() ends the waits of a lazy without a value', async () => {
    const { ours, theirs } = create<number>();
    const wait = theirs.waitAsync();
    expect(ours.close()).toBe(true);
    await expect(wait).rejects.toBeInstanceOf(ClosedError);
    expect([theirs.value, theirs.inspect().state]).toEqual([undefined, 'closed']);
    expect(() => theirs.get(() => 1)).toThrow(ClosedError);
    ours.free();
  });

  test('free() returns all of its memory, and every later call throws', () => {
    const round = (): Lazy<number> => {
      const lazy = Lazy.create<number>({ arena, capacity: 10_000 });
      lazy.get(() => 1);
      lazy.free();
      return lazy;
    };
    for (let warm = 0; warm < 3; warm++) round();
    const { used } = arena.inspect();
    for (let count = 0; count < 500; count++) round();
    expect(arena.inspect().used).toBe(used);
    const gone = round();
    for (const call of [
      () => gone.get(never),
      () => gone.value,
      () => gone.wait(),
      () => gone.tryGet(never),
      () => gone.free(),
    ])
      expect(call).toThrow(MisuseError);
  });

  test('the properties and inspect() report name, codec, capacity and state', () => {
    const { ours, theirs } = create<number>({ capacity: 100 });
    expect(theirs.inspect()).toEqual({
      kind: 'lazy',
      name: 'config',
      state: 'idle',
      runner: 0,
      failures: 0,
      waiters: [],
      codec: 'json',
      capacity: 100,
    });
    expect([String(ours), ours.handle.codec]).toEqual(["Lazy 'config'", 'json']);
    expect(Lazy.create({ arena, codec: 'float64' }).inspect().capacity).toBe(8);
  });
});

test('the value has the type of the options or of the initialiser', () => {
  const arena = Arena.create({ maxPages: 8 });
  expectTypeOf(Lazy.create({ arena, codec: 'int32' })).toEqualTypeOf<Lazy<number>>();
  expectTypeOf(Lazy.create({ arena, codec: 'bytes' })).toEqualTypeOf<Lazy<Uint8Array>>();
  expectTypeOf(Lazy.create<string>({ arena }).value).toEqualTypeOf<string | undefined>();
  expectTypeOf(Lazy.create({ arena, codec: STRUCTURED })).toEqualTypeOf<Lazy<Map<string, Date>>>();
  const text = Lazy.create<string>({ arena });
  expectTypeOf(Lazy.from(text.handle)).toEqualTypeOf<Lazy<string>>();
});
