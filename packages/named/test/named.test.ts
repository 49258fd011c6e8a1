import { describe, expect, test, vi } from 'vitest';
import { Arena, hasCode, Region, Semaphore, type TimeoutError } from '../../core/src/index.ts';
import { contextOf } from '../../core/src/arena/arena.ts';
import { HEADER_NAMES, OFFICE } from '../../core/src/kernel/layout.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex } from '../../mutex/src/index.ts';
import {
  findNamed,
  forgetNamed,
  freeNamed,
  listNamed,
  named,
  namedAsync,
  type NamedKind,
  type NamedOptions,
} from '../src/index.ts';
import { lockBlocks } from './support/blocks.ts';
import './support/kinds.ts';

/** On a loaded machine a second is not enough. */
const PATIENCE = { timeout: 120_000 };

const arenaWith = (engine: 'wasm' | 'js'): Arena =>
  Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { spinMicros: 0 } });

/** A kind whose primitives a second agent of this thread can open. */
function as<T extends { readonly handle: { readonly arena: string } }>(arena: Arena, kind: NamedKind<T>): NamedKind<T> {
  return { from: (handle) => openAs(arena, handle, (own) => kind.from(own as never)) };
}

describe.each(['wasm', 'js'] as const)('named (%s)', (engine) => {
  test('one agent creates the primitive, and all agents get the same one', () => {
    const arena = arenaWith(engine);
    const other = secondAgent(arena);
    const create = vi.fn((options: NamedOptions) => Semaphore.create(3, options));
    const first = named(arena, 'slots', Semaphore, create);
    const again = named(arena, 'slots', Semaphore, create);
    const theirs = named(other, 'slots', as(other, Semaphore), create);
    expect(create.mock.calls.length).toBe(1);
    expect([first, again, theirs].map(({ handle }) => handle.address)).toEqual(Array(3).fill(first.handle.address));
    first.acquire(2);
    expect([again.available, theirs.available, first.name]).toEqual([1, 1, 'slots']);
    first.release(2);
  });

  test('a kind whose create() needs only options needs no creator', () => {
    const arena = arenaWith(engine);
    const mutex = named(arena, 'orders', Mutex);
    expect([mutex.name, named(arena, 'orders', Mutex).handle.tag === mutex.handle.tag]).toEqual(['orders', true]);
  });

  test('handles with more than an address arrive complete', () => {
    const arena = arenaWith(engine);
    const region = named(arena, 'bytes', Region, (options) => Region.create(100, options));
    region.bytes[99] = 7;
    const again = named(arena, 'bytes', Region, (options) => Region.create(1, options));
    expect([again.byteLength, again.bytes[99]]).toEqual([100, 7]);
  });

  test('names differ by every code unit, and a long name is cut only where it is displayed', () => {
    const arena = arenaWith(engine);
    const names = [
      'a',
      'A',
      'a\0',
      '\ud800',
      '\ufffd',
      'é',
      'e\u0301',
      'liquid',
      'costarring',
      'x'.repeat(4096),
      'x'.repeat(4095),
    ];
    const addresses = names.map((name) => named(arena, name, Mutex).handle.address);
    expect(new Set(addresses).size).toBe(names.length);
    expect(names.map((name) => named(arena, name, Mutex).handle.address)).toEqual(addresses);
    expect(named(arena, 'x'.repeat(4096), Mutex).name).toBe(`${'x'.repeat(57)}…`);
  });

  test('if the creator throws, the call throws the same error, and the next call creates', () => {
    const arena = arenaWith(engine);
    const failure = new Error('no');
    const refuse = (): never => {
      throw failure;
    };
    expect(() => named(arena, 'orders', Mutex, refuse)).toThrow(failure);
    expect([listNamed(arena), lockBlocks(arena)]).toEqual([[], 1]);
    expect(named(arena, 'orders', Mutex).name).toBe('orders');
  });

  test.each([
    ['nothing', () => undefined, TypeError, 'must return a primitive with a handle: received undefined'],
    ['a promise', () => Promise.resolve(Mutex.create()), undefined, 'returned a promise. Use namedAsync'],
    ['a primitive of another arena', () => Mutex.create({ arena: Arena.create() }), undefined, 'in another arena'],
    ['another kind', () => Semaphore.create(1), undefined, 'in another arena'],
  ])('a creator that returns %s gets an error, and the name refers to nothing', (_what, create, type, says) => {
    const arena = arenaWith(engine);
    let failure: unknown;
    try {
      named(arena, 'orders', Mutex, create as never);
    } catch (thrown) {
      failure = thrown;
    }
    expect(failure).toBeInstanceOf(type ?? Error);
    expect((failure as Error).message).toContain(says);
    expect(listNamed(arena)).toEqual([]);
  });

  test('a creator that makes another kind than it declares gets the error of its from(), and the name refers to nothing', () => {
    const arena = arenaWith(engine);
    expect(() => named(arena, 'orders', Mutex, (options) => Semaphore.create(1, options) as never)).toThrow(
      /Not a handle of kind sluice.mutex/,
    );
    expect(listNamed(arena)).toEqual([]);
  });

  test('the name of another kind throws an error that names both kinds, and changes nothing', () => {
    const arena = arenaWith(engine);
    named(arena, 'orders', Mutex);
    const create = vi.fn(() => Semaphore.create(1, { arena }));
    expect(() => named(arena, 'orders', Semaphore, create)).toThrow(
      'The name "orders" leads to a primitive of kind sluice.mutex, but was asked for as another kind. Nothing was created.',
    );
    expect(() => findNamed(arena, 'orders', Semaphore)).toThrow(/leads to a primitive of kind sluice.mutex/);
    expect([create.mock.calls.length, listNamed(arena).length]).toEqual([0, 1]);
  });

  test('agents wait while one creates, and get the created primitive', async () => {
    const arena = arenaWith(engine);
    const other = secondAgent(arena);
    let finish: (() => void) | undefined;
    const slow = namedAsync(arena, 'orders', Mutex, async (options) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return Mutex.create(options);
    });
    await vi.waitUntil(() => finish !== undefined, PATIENCE);
    const waits = [
      namedAsync(other, 'orders', as(other, Mutex), unwanted),
      namedAsync(arena, 'orders', Mutex, unwanted),
      namedAsync(other, 'orders', as(other, Mutex), unwanted),
    ];
    expect(listNamed(arena)).toMatchObject([
      { name: 'orders', state: 'creating', creator: arena.agentId, waiting: 3, kind: '' },
    ]);
    expect(findNamed(arena, 'orders', Mutex)).toBeUndefined();
    expect(() => named(arena, 'orders', Mutex)).toThrow(/is owned by this agent/);
    expect(() => forgetNamed(other, 'orders')).toThrow(
      /cannot be forgotten while its primitive is created: held by agent/,
    );
    finish?.();
    const all = await Promise.all([slow, ...waits]);
    expect(new Set(all.map(({ handle }) => handle.address)).size).toBe(1);
    expect(listNamed(arena)).toMatchObject([
      { name: 'orders', state: 'ready', kind: 'sluice.mutex', address: all[0].handle.address, creator: 0, waiting: 0 },
    ]);
  });

  // Without the mutex, an agent that finds the same freed primitive could forget the name after the waiter has created
  // another primitive.
  test('an agent that waited for a creator reads the handle under the mutex of the table', async () => {
    const arena = arenaWith(engine);
    let finish: ((mutex: Mutex) => void) | undefined;
    const first = namedAsync(arena, 'orders', Mutex, () => new Promise<Mutex>((resolve) => (finish = resolve)));
    await vi.waitUntil(() => finish !== undefined, PATIENCE);
    const wait = namedAsync(arena, 'orders', Mutex, unwanted);
    const { words } = contextOf(arena);
    const { parse } = JSON;
    const owners: number[] = [];
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, revive) => {
      // Count reads of handles only.
      if (revive !== undefined) owners.push(words.load32(words.load32(HEADER_NAMES) + OFFICE));
      return parse(text, revive) as unknown;
    });
    try {
      finish?.(Mutex.create({ arena }));
      await Promise.all([first, wait]);
    } finally {
      spy.mockRestore();
    }
    expect(owners).toEqual([arena.agentId]);
  });

  test('if the creator rejects, the longest waiter creates', async () => {
    const arena = arenaWith(engine);
    const other = secondAgent(arena);
    let fail: ((failure: Error) => void) | undefined;
    const first = namedAsync(arena, 'orders', Mutex, () => new Promise<Mutex>((_, reject) => (fail = reject)));
    await vi.waitUntil(() => fail !== undefined, PATIENCE);
    const create = vi.fn((options: NamedOptions) => Mutex.create(options));
    const second = namedAsync(other, 'orders', as(other, Mutex), create);
    const third = namedAsync(arena, 'orders', Mutex, unwanted);
    fail?.(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect((await second).handle.address).toBe((await third).handle.address);
    expect(create.mock.calls.length).toBe(1);
  });

  test('a wait for a creator can time out or be aborted, and takes nothing', async () => {
    const arena = arenaWith(engine);
    const other = secondAgent(arena);
    let finish: ((mutex: Mutex) => void) | undefined;
    const first = namedAsync(arena, 'orders', Mutex, () => new Promise<Mutex>((resolve) => (finish = resolve)));
    await vi.waitUntil(() => finish !== undefined, PATIENCE);
    const late: unknown = await namedAsync(other, 'orders', as(other, Mutex), unwanted, { timeout: 1 }).catch(
      (failure: unknown) => failure,
    );
    expect([
      hasCode(late, 'SLUICE_TIMEOUT'),
      (late as TimeoutError).message.startsWith("The name 'orders' could not be locked within 1 ms: held by agent"),
    ]).toEqual([true, true]);
    const stop = new AbortController();
    const wait = namedAsync(other, 'orders', as(other, Mutex), unwanted, { signal: stop.signal });
    stop.abort('enough');
    await expect(wait).rejects.toBe('enough');
    finish?.(Mutex.create({ arena }));
    await first;
    expect(listNamed(arena)).toMatchObject([{ state: 'ready', waiting: 0 }]);
  });

  test('after forgetNamed() the next call creates another primitive, and the first one stays', () => {
    const arena = arenaWith(engine);
    const first = named(arena, 'orders', Mutex);
    expect([forgetNamed(arena, 'orders'), forgetNamed(arena, 'orders'), forgetNamed(arena, 'never')]).toEqual([
      true,
      false,
      false,
    ]);
    const second = named(arena, 'orders', Mutex);
    expect(second.handle.address).not.toBe(first.handle.address);
    expect(first.tryLock() && second.tryLock()).toBe(true);
    first.unlock();
    second.unlock();
  });

  test('freeNamed() frees the primitive and the name, and throws while the primitive is in use', () => {
    const arena = arenaWith(engine);
    const mutex = named(arena, 'orders', Mutex);
    const blocks = lockBlocks(arena);
    mutex.lock();
    expect(() => freeNamed(arena, 'orders', Mutex)).toThrow(/is in use and cannot be freed/);
    expect(findNamed(arena, 'orders', Mutex)?.handle.address).toBe(mutex.handle.address);
    mutex.unlock();
    expect([freeNamed(arena, 'orders', Mutex), freeNamed(arena, 'orders', Mutex)]).toEqual([true, false]);
    expect([listNamed(arena), lockBlocks(arena)]).toEqual([[], blocks - 2]);
  });

  test('the name of a freed primitive is free, so the next call creates', () => {
    const arena = arenaWith(engine);
    const first = named(arena, 'orders', Mutex);
    first.free();
    expect([listNamed(arena)[0]?.state, findNamed(arena, 'orders', Mutex)]).toEqual(['free', undefined]);
    const second = named(arena, 'orders', Mutex);
    expect([second.tryLock(), named(arena, 'orders', Mutex).owned]).toEqual([true, true]);
    second.unlock();
  });

  test('100 names that are created and freed in sequence need no more memory than one', () => {
    const arena = arenaWith(engine);
    const round = (name: string): void => {
      named(arena, name, Mutex);
      freeNamed(arena, name, Mutex);
    };
    round('first');
    const { used } = arena.inspect();
    for (let count = 0; count < 100; count++) round(`name ${count}`);
    expect(arena.inspect().used - used).toBeLessThan(4096);
  });

  test('an arena without names has no table, and each arena has its own names', () => {
    const arena = arenaWith(engine);
    expect([
      listNamed(arena),
      findNamed(arena, 'orders', Mutex),
      forgetNamed(arena, 'orders'),
      contextOf(arena).words.load32(92),
      lockBlocks(arena),
    ]).toEqual([[], undefined, false, 0, 0]);
    named(arena, 'orders', Mutex);
    expect(listNamed(arenaWith(engine))).toEqual([]);
  });

  test('two agents that create the table at the same time get one table', () => {
    const arena = arenaWith(engine);
    const other = secondAgent(arena);
    const { words } = contextOf(arena);
    const cas = words.cas32.bind(words);
    const spy = vi.spyOn(words, 'cas32').mockImplementation((address, expected, value) => {
      if (address === 92) {
        spy.mockRestore();
        named(other, 'theirs', as(other, Mutex), (options) => Mutex.create(options));
      }
      return cas(address, expected, value);
    });
    named(arena, 'ours', Mutex);
    expect(
      listNamed(arena)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['ours', 'theirs']);
    expect(listNamed(other).length).toBe(2);
    expect(lockBlocks(arena)).toBe(5);
  });
});

function unwanted(): never {
  throw new Error('A second creator was called.');
}
