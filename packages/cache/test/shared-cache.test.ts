import { describe, expect, test, vi } from 'vitest';
import { hasCode, type SluiceErrorCode } from '../../core/src/index.ts';
import { turn } from '../../core/test/support/turn.ts';
import { SharedCache } from '../src/index.ts';
import { Gate, pairOf } from './support/agents.ts';

type Text = SharedCache<string>;

/** A key whose lock leaves the table when it is not used. */
const LONG = 'k'.repeat(200);

/** Fails if it is called. */
function never(): never {
  throw new Error('The function was called.');
}

async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (failure) {
    return (failure as { readonly code?: SluiceErrorCode }).code;
  }
  return 'no error';
}

/** Lets all agents act until `isDone`. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await turn();
}

describe.each(['wasm', 'js'] as const)('a value is computed once (%s)', (engine) => {
  test('get() computes a value, and finds it from then on, in every agent', () => {
    const { ours, theirs } = pairOf<{ name: string }>({}, engine);
    const compute = vi.fn((key: string) => ({ name: key }));
    expect(ours.get('17', compute)).toEqual({ name: '17' });
    expect([ours.get('17', never), theirs.get('17', never)]).toEqual([{ name: '17' }, { name: '17' }]);
    expect(compute).toHaveBeenCalledTimes(1);
    expect(theirs.statistics()).toMatchObject({ hits: 2, misses: 1, computed: 1, failed: 0, entries: 1, bytes: 256 });
  });

  test('64 waiters of two agents get one computation', async () => {
    const { ours, theirs } = pairOf<string>({}, engine);
    const [gate, other] = [new Gate<string>(), new Gate<string>()];
    const waits = Array.from({ length: 64 }, (_, index) =>
      index % 2 === 0 ? ours.getAsync('k', gate.compute) : theirs.getAsync('k', other.compute),
    );
    await until(() => gate.running === 1);
    expect(ours.inspect().computing).toMatchObject([{ key: 'k', waiting: 1 }]);
    gate.pass('value');
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['value']));
    expect([gate.calls, other.calls]).toEqual([1, 0]);
    expect(ours.statistics()).toMatchObject({ misses: 64, computed: 1 });
    expect(ours.inspect().computing).toEqual([]);
  });

  test('each call gets a value of its own', async () => {
    const { ours } = pairOf<{ list: number[] }>({}, engine);
    const both = await Promise.all([1, 2].map(async () => ours.getAsync('k', () => ({ list: [1] }))));
    both[0]?.list.push(2);
    ours.get('k', never).list.push(3);
    expect([both[1], ours.peek('k')]).toEqual([{ list: [1] }, { list: [1] }]);
  });

  test('keys do not wait for each other', async () => {
    const { ours, theirs } = pairOf<string>({}, engine);
    const gate = new Gate<string>();
    const slow = ours.getAsync('slow', gate.compute);
    await until(() => gate.running === 1);
    expect(theirs.get('fast', () => 'now')).toBe('now');
    expect(await ours.getAsync('other', () => 'soon')).toBe('soon');
    gate.pass('late');
    expect(await slow).toBe('late');
  });

  test('tryGet() does not wait, computes if no agent does, and returns undefined otherwise', async () => {
    const { ours, theirs } = pairOf<string>({}, engine);
    const gate = new Gate<string>();
    const wait = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    expect([theirs.tryGet('k', never), theirs.tryGet('k', never, 5)]).toEqual([undefined, undefined]);
    expect(theirs.tryGet('free', () => 'computed')).toBe('computed');
    gate.pass('value');
    await wait;
    expect(theirs.tryGet('k', never)).toBe('value');
  });
});

describe('a computation that fails', () => {
  test('its callers get the error, no value is kept, and the next call computes', async () => {
    const { ours } = pairOf<string>();
    const failure = new Error('no database');
    const gate = new Gate<string>();
    const waits = [1, 2, 3].map(() => ours.getAsync('k', gate.compute));
    await until(() => gate.running === 1);
    gate.fail(failure);
    expect(await Promise.allSettled(waits)).toEqual(waits.map(() => ({ status: 'rejected', reason: failure })));
    expect([gate.calls, ours.has('k'), ours.statistics().failed]).toEqual([1, false, 1]);
    expect(ours.get('k', () => 'again')).toBe('again');
  });

  test('a waiter of another agent computes itself', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const [first, second] = [ours.getAsync('k', gate.compute), theirs.getAsync('k', () => 'theirs')];
    await until(() => gate.running === 1);
    gate.fail(new Error('ours'));
    await expect(first).rejects.toThrow('ours');
    expect(await second).toBe('theirs');
    expect(ours.statistics()).toMatchObject({ failed: 1, computed: 1 });
  });

  test('get() throws what the function threw, and releases the key', () => {
    const { ours, theirs } = pairOf<string>();
    expect(() => ours.get('k', () => JSON.parse('{') as string)).toThrow(SyntaxError);
    expect([ours.inspect().computing, theirs.tryGet('k', () => 'theirs')]).toEqual([[], 'theirs']);
  });

  test('a value that the codec or the cache cannot take is an error that names the cache, and is not kept', async () => {
    const { ours } = pairOf<unknown>({ maxBytes: 4096 });
    expect(() => ours.get('k', () => undefined)).toThrow(
      /SharedCache 'users': the value cannot be represented in JSON/,
    );
    expect(() => ours.get('k', () => 'x'.repeat(5000))).toThrow(/at most 4036 bytes, received one of 5002/);
    await expect(ours.getAsync('k', () => 1n)).rejects.toThrow(TypeError);
    expect(() => ours.set('k', 'x'.repeat(5000))).toThrow(RangeError);
    expect(ours.statistics()).toMatchObject({ entries: 0, bytes: 0, failed: 3 });
    ours.set('k', 'x'.repeat(4034));
    expect(ours.statistics()).toMatchObject({ entries: 1, bytes: 4096 });
  });
});

describe('a wait', () => {
  test('ends by its timeout, and the computation goes on', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const [patient, hasty] = [ours.getAsync('k', gate.compute), ours.getAsync('k', never, { timeout: 5 })];
    await expect(hasty).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    await expect(theirs.getAsync('k', never, { timeout: 5 })).rejects.toThrow(
      /^SharedCache 'users: k' got no value within 5 ms: held by agent \d+/,
    );
    gate.pass('value');
    expect([await patient, ours.peek('k')]).toEqual(['value', 'value']);
  });

  test('ends by its signal, with the reason, and its value is kept', async () => {
    const { ours } = pairOf<string>();
    const gate = new Gate<string>();
    const controller = new AbortController();
    const wait = ours.getAsync('k', gate.compute, { signal: controller.signal });
    await until(() => gate.running === 1);
    const reason = new Error('mine');
    controller.abort(reason);
    await expect(wait).rejects.toBe(reason);
    gate.pass('value');
    await until(() => ours.has('k'));
    expect(ours.statistics()).toMatchObject({ computed: 1 });
  });

  test('calls that all gave up before their turn compute nothing, and the key is free again', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const first = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    const controller = new AbortController();
    const others = [1, 2].map(() => theirs.getAsync('k', never, { signal: controller.signal }));
    await until(() => ours.inspect().computing[0]?.waiting === 1);
    controller.abort();
    await Promise.allSettled(others);
    await until(() => ours.inspect().computing[0]?.waiting === 0);
    gate.fail(new Error('no value'));
    await expect(first).rejects.toThrow('no value');
    expect([theirs.inspect().computing, theirs.get('k', () => 'theirs')]).toEqual([[], 'theirs']);
  });

  test('a call that comes while an abandoned wait ends computes itself', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const first = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    const controller = new AbortController();
    const left = theirs.getAsync('k', never, { signal: controller.signal });
    await until(() => ours.inspect().computing[0]?.waiting === 1);
    controller.abort(new Error('mine'));
    const late = left.catch(() => theirs.getAsync('k', () => 'theirs'));
    gate.fail(new Error('no value'));
    await expect(first).rejects.toThrow('no value');
    expect(await late).toBe('theirs');
  });

  /** Calls without a value and gives up in the same turn. Then calls `instead`. */
  async function giveUp<T>(cache: Text, key: string, instead: () => T): Promise<T | string> {
    const controller = new AbortController();
    const left = cache.getAsync(key, () => 'async', { signal: controller.signal });
    controller.abort(new Error('mine'));
    return left.catch(instead);
  }

  // A call that settles waits for the next turn of the event loop, once the thread's budget for this turn is spent.
  test('a blocking call in the catch block of an aborted call computes, whatever the budget of the turn', async () => {
    const { ours } = pairOf<string>();
    for (let call = 0; call < 1000; call++) {
      const key = `${call}`;
      expect(await giveUp(ours, key, () => ours.get(key, () => 'blocking'))).toBe('blocking');
    }
  });

  test('a call that was aborted does not release the key of the next call of its thread', async () => {
    const { ours, theirs } = pairOf<string>();
    const gates: Gate<string>[] = [];
    const waits: Promise<string>[] = [];
    for (let call = 0; call < 300; call++) {
      const gate = new Gate<string>();
      gates.push(gate);
      // Not the promise itself, which the catch would wait for.
      await giveUp(ours, `${call}`, () => waits.push(ours.getAsync(`${call}`, gate.compute)));
    }
    await until(() => gates.every(({ running }) => running === 1));
    for (let rest = 0; rest < 3; rest++) await turn();
    for (const key of gates.keys()) expect(theirs.tryGet(`${key}`, never)).toBeUndefined();
    for (const gate of gates) gate.pass('value');
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['value']));
  });

  test('a call that was aborted after the key became free does not keep it', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const first = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    const controller = new AbortController();
    const left = theirs.getAsync('k', never, { signal: controller.signal });
    await until(() => ours.inspect().computing[0]?.waiting === 1);
    gate.fail(new Error('no value'));
    await expect(first).rejects.toThrow('no value');
    controller.abort(new Error('mine'));
    await expect(left).rejects.toThrow('mine');
    for (let rest = 0; rest < 3; rest++) await turn();
    expect([ours.inspect().computing, ours.tryGet('k', () => 'ours')]).toEqual([[], 'ours']);
  });

  test('a blocking call in the catch block of a wait that timed out computes', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const first = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    const late = theirs.getAsync('k', never, { timeout: 1 }).catch(() => theirs.tryGet('k', never));
    expect(await late).toBeUndefined();
    gate.pass('value');
    expect([await first, theirs.get('k', never)]).toEqual(['value', 'value']);
  });

  test('a function that asks for its own key gets DeadlockError, and a blocking one MisuseError', async () => {
    const { ours } = pairOf<string>();
    expect(await codeOf(() => ours.getAsync('k', () => ours.getAsync('k', never)))).toBe('SLUICE_DEADLOCK');
    expect(await codeOf(() => ours.get('k', () => ours.get('k', never)))).toBe('SLUICE_MISUSE');
    const gate = new Gate<string>();
    const wait = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    expect(await codeOf(() => ours.get('k', never))).toBe('SLUICE_DEADLOCK');
    gate.pass('value');
    expect(await wait).toBe('value');
    expect(ours.get('outer', () => ours.get('inner', () => 'both'))).toBe('both');
  });

  test('a function that asks for its own key through another instance gets DeadlockError, or MisuseError', async () => {
    const { ours } = pairOf<string>();
    const also = SharedCache.from<string>(ours.handle);
    expect(await codeOf(() => ours.getAsync('k', () => also.getAsync('k', never)))).toBe('SLUICE_DEADLOCK');
    expect(await codeOf(() => ours.get('k', () => also.get('k', never)))).toBe('SLUICE_MISUSE');
    expect(await codeOf(() => ours.tryGet('k', () => also.tryGet('k', never, Infinity) ?? ''))).toBe('SLUICE_MISUSE');
    const gate = new Gate<string>();
    const wait = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    expect(await codeOf(() => also.get('k', never))).toBe('SLUICE_MISUSE');
    expect(await codeOf(() => also.tryGet('k', never, Infinity))).toBe('SLUICE_MISUSE');
    expect(also.tryGet('k', never)).toBeUndefined();
    gate.pass('value');
    expect([await wait, also.tryGet('k', never)]).toEqual(['value', 'value']);
  });

  test('a blocking function that asks for its own key with getAsync gets MisuseError, and the promise settles', async () => {
    const { ours } = pairOf<string>();
    for (const ask of ['get', 'tryGet'] as const) {
      const compute = ((key: string) => ours.getAsync(key, () => 'asked')) as unknown as () => string;
      let failure: unknown;
      try {
        ours[ask](ask, compute);
      } catch (thrown) {
        failure = thrown;
      }
      expect(hasCode(failure, 'SLUICE_MISUSE')).toBe(true);
      expect(await (failure as Error).cause).toBe('asked');
    }
  });

  test('a call with ref: false and one without share the value', async () => {
    const { ours } = pairOf<string>();
    const gate = new Gate<string>();
    const waits = [ours.getAsync('k', gate.compute, { ref: false }), ours.getAsync('k', never)];
    await until(() => gate.running === 1);
    gate.pass('value');
    expect(await Promise.all(waits)).toEqual(['value', 'value']);
  });
});

describe('a call that begins after a change never gets a value from before it', () => {
  const changes: readonly (readonly [string, (cache: Text) => unknown, string | undefined])[] = [
    ['delete()', (cache) => cache.delete('k'), undefined],
    ['set()', (cache) => cache.set('k', 'set'), 'set'],
    ['clear()', (cache) => cache.clear(), undefined],
  ];
  test.each(changes)('%s of another agent discards the computation that is under way', async (_, change, kept) => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const before = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    change(theirs);
    const after = ours.getAsync('k', () => 'new');
    gate.pass('old');
    expect([await before, await after, ours.peek('k')]).toEqual(['old', kept ?? 'new', kept ?? 'new']);
  });

  test('delete() in the turn in which the computation ends is not undone', async () => {
    const { ours } = pairOf<string>();
    const gate = new Gate<string>();
    const before = ours.getAsync(LONG, gate.compute);
    await until(() => gate.running === 1);
    let after: Promise<string> | undefined;
    gate.pass('old');
    for (let job = 0; job < 20; job++) {
      await Promise.resolve();
      if (after === undefined && ours.has(LONG)) {
        ours.delete(LONG);
        after = ours.getAsync(LONG, () => 'new');
      }
    }
    expect([await before, await after]).toEqual(['old', 'new']);
  });

  test('set() in the function that computes is kept', () => {
    const { ours } = pairOf<string>();
    const got = ours.get('k', () => {
      ours.set('k', 'set');
      return 'computed';
    });
    expect([got, ours.peek('k')]).toEqual(['computed', 'set']);
  });

  test('a change of another key does not discard the computation', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const wait = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    theirs.delete('other');
    gate.pass('value');
    expect([await wait, ours.peek('k')]).toEqual(['value', 'value']);
  });
});

describe('time', () => {
  test('a value is fresh for ttl ms, and is gone afterwards', () => {
    const { ours, theirs, clock } = pairOf<number>({ ttl: 100 });
    ours.set('k', 1);
    clock.now += 99.9;
    expect(theirs.get('k', never)).toBe(1);
    clock.now += 0.1;
    expect([theirs.has('k'), theirs.peek('k'), ours.statistics().entries]).toEqual([false, undefined, 1]);
    expect([theirs.get('k', () => 2), ours.statistics()]).toMatchObject([2, { expired: 1, entries: 1 }]);
    ours.set('long', 1, { ttl: 1000 });
    clock.now += 999;
    expect([ours.has('k'), ours.has('long')]).toEqual([false, true]);
  });

  test('a stale value is returned at once, and one caller of all agents computes the next', async () => {
    const { ours, theirs, clock } = pairOf<string>({ ttl: 100, staleFor: 50 });
    ours.set('k', 'old');
    clock.now += 120;
    const gate = new Gate<string>();
    const calls = [ours, ours, theirs].map(async (cache) => cache.getAsync('k', gate.compute));
    expect(await Promise.all(calls)).toEqual(['old', 'old', 'old']);
    expect([gate.calls, theirs.get('k', never), theirs.tryGet('k', never)]).toEqual([1, 'old', 'old']);
    gate.pass('new');
    await until(() => ours.peek('k') === 'new');
    clock.now += 99;
    expect([await theirs.getAsync('k', never), ours.statistics()]).toMatchObject(['new', { hits: 6, computed: 1 }]);
  });

  test('a blocking call computes the value that follows a stale one itself', () => {
    const { ours, clock } = pairOf<string>({ ttl: 100, staleFor: 50 });
    ours.set('k', 'old');
    clock.now += 100;
    expect([ours.get('k', () => 'new'), ours.get('k', never)]).toEqual(['new', 'new']);
  });

  test('a stale value stays if the next computation fails, and is gone after staleFor ms', async () => {
    const { ours, clock } = pairOf<string>({ ttl: 100, staleFor: 50 });
    ours.set('k', 'old');
    clock.now += 149;
    const gate = new Gate<string>();
    expect(await ours.getAsync('k', gate.compute)).toBe('old');
    gate.fail(new Error('no database'));
    await until(() => ours.statistics().failed === 1);
    expect(ours.peek('k')).toBe('old');
    clock.now += 1;
    expect(ours.has('k')).toBe(false);
    await expect(ours.getAsync('k', async () => Promise.reject(new Error('still none')))).rejects.toThrow('still none');
  });

  test('a call after the stale time joins the computation that is under way', async () => {
    const { ours, clock } = pairOf<string>({ ttl: 100, staleFor: 50 });
    ours.set('k', 'old');
    clock.now += 120;
    const gate = new Gate<string>();
    await ours.getAsync('k', gate.compute);
    clock.now += 100;
    const wait = ours.getAsync('k', never);
    gate.pass('new');
    expect(await wait).toBe('new');
  });
});

describe('room', () => {
  test('the values used least recently make room, over all agents', () => {
    const { ours, theirs } = pairOf<string>({ maxBytes: 4096 });
    for (let key = 0; key < 16; key++) ours.set(`key ${key}`, 'x'.repeat(100));
    theirs.get('key 0', never);
    ours.peek('key 1');
    ours.set('more', 'x'.repeat(300));
    const left = Array.from({ length: 16 }, (_, key) => key).filter((key) => theirs.has(`key ${key}`));
    expect(left).toEqual([0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(theirs.statistics()).toMatchObject({ evicted: 2, entries: 15, bytes: 4096 });
  });

  test('a value of a megabyte comes back whole', () => {
    const value = Uint8Array.from({ length: 1_048_576 }, (_, index) => (index * 31) & 255);
    const { ours, theirs } = pairOf<Uint8Array>({ codec: 'bytes', maxBytes: 3_000_000 });
    // So that its chunks are not neighbours.
    for (let key = 0; key < 100; key++) ours.set(`${key}`, value.subarray(0, 1000));
    for (let key = 0; key < 100; key += 2) ours.delete(`${key}`);
    expect(
      Buffer.compare(
        ours.get('large', () => value),
        value,
      ),
    ).toBe(0);
    expect(Buffer.compare(theirs.get('large', never), value)).toBe(0);
  });

  test('delete(), clear() and free() give the memory back', () => {
    const { arena, ours, theirs } = pairOf<number>();
    ours.set('a', 1);
    expect([theirs.delete('a'), theirs.delete('a'), theirs.statistics().bytes]).toEqual([true, false, 0]);
    ours.set('a', 1);
    ours.set('b', 2);
    theirs.clear();
    expect([ours.has('a'), ours.has('b'), ours.statistics()]).toMatchObject([false, false, { entries: 0, bytes: 0 }]);
    theirs.free();
    expect(arena.inspect().blocks.filter(({ kind }) => kind === 'lock')).toEqual([]);
    expect(() => ours.peek('a')).toThrow("The cache 'users' was freed and cannot be used any more.");
  });

  test('free() fails while a value is computed', async () => {
    const { ours, theirs } = pairOf<string>();
    const gate = new Gate<string>();
    const wait = ours.getAsync('k', gate.compute);
    await until(() => gate.running === 1);
    expect(() => theirs.free()).toThrow(/^SharedCache 'users: k' is in use and cannot be freed/);
    gate.pass('value');
    await wait;
    theirs.free();
  });
});

describe('keys and codecs', () => {
  test('strings and bytes are keys, and only equal ones are the same', () => {
    const { ours, theirs } = pairOf<number>({ maxBytes: 2 ** 20 });
    const keys = ['', 'a', '\0', '\0a', '\0\u0001a', '\0\0', 'ü', '\ud800', '\ufffd', 'x'.repeat(4095)];
    const bytes = [[], [0], [97], [0, 1, 97], [255], [1, 0], Array.from({ length: 4094 }, (_, index) => index & 255)];
    const all = [...keys, ...bytes.map((each) => Uint8Array.from(each))];
    for (const [index, key] of all.entries()) ours.set(key, index);
    for (const [index, key] of all.entries()) expect(theirs.get(key, never)).toBe(index);
    expect(ours.statistics().entries).toBe(all.length);
  });

  test('the function that computes and the report get the key as it was given', async () => {
    const { ours } = pairOf<string>();
    const key = Uint8Array.of(1, 2, 3);
    const gate = new Gate<string>();
    const compute = vi.fn(gate.compute);
    const wait = ours.getAsync(key, compute);
    await until(() => gate.running === 1);
    expect(compute.mock.calls).toEqual([[key]]);
    expect(ours.inspect().computing).toMatchObject([{ key }]);
    gate.pass('value');
    await wait;
  });

  test.each([
    ['int32', -7],
    ['float64', 0.1],
    ['json', [null, { a: 'b' }]],
    ['bytes', Uint8Array.of(1, 2)],
  ] as const)('values of the codec %s come back equal', async (codec, value) => {
    const { ours, theirs } = pairOf<unknown>({ codec });
    expect(await ours.getAsync('k', () => value)).toEqual(value);
    expect(theirs.get('k', never)).toEqual(value);
    expect(ours.inspect()).toMatchObject({ kind: 'cache', name: 'users', codec, maxBytes: 65_536, ttl: undefined });
  });

  test('a codec of the program encodes and decodes', () => {
    const codec = {
      name: 'date',
      encode: (value: Date) => new Uint8Array(Float64Array.of(value.getTime()).buffer),
      decode: (bytes: Uint8Array) => new Date(new Float64Array(bytes.buffer)[0] ?? 0),
    };
    const { ours, theirs } = pairOf<Date>({ codec });
    ours.set('k', new Date(17));
    expect(theirs.get('k', never)).toEqual(new Date(17));
  });

  test('bytes that a caller changes later change no value', async () => {
    const { ours } = pairOf<Uint8Array>({ codec: 'bytes' });
    const value = Uint8Array.of(1, 2, 3);
    const both = await Promise.all([ours.getAsync('k', () => value), ours.getAsync('k', never)]);
    value.fill(9);
    both[0].fill(8);
    expect([both[1], ours.peek('k')]).toEqual([Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3)]);
  });
});

describe('keepDecoded', () => {
  interface User {
    name: string;
  }

  test('calls of an instance return the same object while the value is unchanged', async () => {
    const { ours, theirs } = pairOf<User>({ keepDecoded: 2 });
    theirs.set('k', { name: 'first' });
    const first = ours.get('k', never);
    const again = [ours.peek('k'), await ours.getAsync('k', never), ours.tryGet('k', never)];
    expect(again.map((value) => value === first)).toEqual([true, true, true]);
    expect(theirs.peek('k')).not.toBe(theirs.peek('k'));
    theirs.set('k', { name: 'second' });
    expect(ours.get('k', never)).toEqual({ name: 'second' });
    ours.delete('k');
    expect(ours.peek('k')).toBeUndefined();
    ours.set('k', { name: 'first' });
    expect([ours.get('k', never), ours.get('k', never) === first]).toEqual([{ name: 'first' }, false]);
  });

  test('an instance keeps the values that it used last', () => {
    const { ours } = pairOf<User>({ keepDecoded: 2 });
    for (const name of ['a', 'b', 'c']) ours.set(name, { name });
    const [a, b] = ['a', 'b'].map((name) => ours.get(name, never));
    expect(ours.get('a', never)).toBe(a);
    ours.get('c', never);
    expect([ours.get('a', never) === a, ours.get('b', never) === b, ours.peek('b')]).toEqual([true, false, b]);
  });
});

test('errors have codes', async () => {
  const { ours } = pairOf<string>();
  await expect(ours.getAsync('k', async () => new Promise<string>(() => undefined), { timeout: 0 })).rejects.toSatisfy(
    (failure: unknown) => hasCode(failure, 'SLUICE_TIMEOUT'),
  );
});
