import { describe, expect, test } from 'vitest';
import { Arena, hasCode, MisuseError, type Guard } from '../../core/src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KeyedMutex } from '../src/index.ts';
import { alike } from './support/alike.ts';
import { lockBlocks } from './support/blocks.ts';
import './support/kinds.ts';

interface Pair {
  readonly arena: Arena;
  readonly ours: KeyedMutex;
  readonly theirs: KeyedMutex;
}

function pairIn(engine: 'wasm' | 'js'): Pair {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { spinMicros: 0 } });
  const ours = KeyedMutex.create({ arena, name: 'accounts' });
  const theirs = openAs(secondAgent(arena), ours.handle, (handle) => KeyedMutex.from(handle));
  return { arena, ours, theirs };
}

const keysOf = (keyed: KeyedMutex): string[] => keyed.inspect().keys.map(({ key }) => key);

describe.each(['wasm', 'js'] as const)('KeyedMutex (%s)', (engine) => {
  test('two agents exclude each other at the same key', () => {
    const { ours, theirs } = pairIn(engine);
    ours.lock('alice');
    expect([theirs.tryLock('alice'), theirs.tryLock('bob'), ours.tryLock('bob')]).toEqual([false, true, false]);
    ours.unlock('alice');
    expect(theirs.tryLock('alice')).toBe(true);
    theirs.unlock('alice');
    theirs.unlock('bob');
  });

  test('any string is a key, and only equal strings are the same key, for all agents', () => {
    const { ours, theirs } = pairIn(engine);
    const keys = [
      '',
      '\0',
      'a',
      'a\0',
      'A',
      '\ud800',
      '\ufffd',
      '\udc00\ud800',
      'é',
      'e\u0301',
      'x'.repeat(4096),
      'x'.repeat(4095),
      ...alike(),
      'liquid',
      'costarring',
    ];
    for (const key of keys) ours.lock(key);
    expect(keysOf(theirs).sort()).toEqual([...keys].sort());
    for (const key of keys) expect(theirs.tryLock(key)).toBe(false);
    for (const key of keys) ours.unlock(key);
    for (const key of keys) expect(theirs.tryLock(key)).toBe(true);
    for (const key of keys) theirs.unlock(key);
    expect(keysOf(ours)).toEqual([]);
  });

  test('a key is in use from its lock() to its unlock()', async () => {
    const { arena, ours, theirs } = pairIn(engine);
    const before = lockBlocks(arena);
    ours.lock('k');
    expect(lockBlocks(arena)).toBe(before + 1);
    const wait = theirs.lockAsync('k');
    ours.unlock('k');
    expect(lockBlocks(arena)).toBe(before + 1);
    await wait;
    theirs.unlock('k');
    expect(lockBlocks(arena)).toBe(before);
  });

  test('a cancelled wait leaves no entry in use after the owner has unlocked', async () => {
    const { arena, ours, theirs } = pairIn(engine);
    const before = lockBlocks(arena);
    ours.lock('k');
    expect(theirs.tryLock('k', 1)).toBe(false);
    const stop = new AbortController();
    const wait = theirs.lockAsync('k', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(wait).rejects.toThrow('enough');
    await expect(theirs.lockAsync('k', { timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    await expect(theirs.lockAsync('k', { timeout: 1 })).rejects.toThrow(
      /^KeyedMutex 'accounts: k' could not be locked within 1 ms: held by agent/,
    );
    ours.unlock('k');
    expect(lockBlocks(arena)).toBe(before);
  });

  test('a cancelled wait gets its own error, even if the keyed mutex is freed right afterwards', async () => {
    const { ours, theirs } = pairIn(engine);
    ours.lock('k');
    const stop = new AbortController();
    const wait = theirs.lockAsync('k', { signal: stop.signal });
    stop.abort(new Error('enough'));
    ours.unlock('k');
    ours.free();
    await expect(wait).rejects.toThrow('enough');
  });

  test('10,000 keys in sequence need no more memory than 129', () => {
    const { arena, ours } = pairIn(engine);
    ours.run('first', () => undefined);
    const { used } = arena.inspect();
    const rounds = engine === 'wasm' ? 10_000 : 500;
    const run = (key: number): void => ours.run(`key ${key}`, () => undefined);
    for (let key = 0; key < 127; key++) run(key);
    expect(arena.inspect().used - used).toBe(127 * 256);
    for (let key = 127; key < rounds; key++) {
      run(key);
      // Allow one more key that is in use, or was freed and not yet returned.
      if (key % 16 === 0) expect(arena.inspect().used - used).toBeLessThanOrEqual(129 * 256);
    }
  });

  test('an idle key passes its memory to another key, and a long key never stays idle', () => {
    const arena = Arena.create({ engine: engineNamed(engine), initialPages: 2, maxPages: 2 });
    const keyed = KeyedMutex.create({ arena });
    const before = arena.inspect().used;
    for (let key = 0; key < 100; key++) keyed.run(`${key} `.repeat(1000), () => undefined);
    // One or two blocks of 4 KiB may be freed and not yet returned.
    expect(arena.inspect().used - before).toBeLessThan(16_384);
    for (let key = 0; key < 128; key++) keyed.run(`key ${key}`, () => undefined);
    const held: string[] = [];
    expect(() => {
      for (let key = 0; ; key++) {
        keyed.lock(`held ${key}`);
        held.push(`held ${key}`);
      }
    }).toThrow(expect.objectContaining({ code: 'SLUICE_ARENA_FULL' }) as Error);
    // Keys in use now have all the memory.
    expect(arena.inspect().blocks.filter(({ kind, bytes }) => kind === 'lock' && bytes === 256).length).toBe(
      held.length,
    );
    for (const key of held) keyed.unlock(key);
  });

  test('a key whose memory another key has reused gets a new entry', () => {
    const { ours, theirs } = pairIn(engine);
    // Both keys are too long to stay when they are idle, so the second gets the memory of the first.
    const [first, second] = ['a'.repeat(200), 'b'.repeat(200)];
    for (let round = 0; round < 3; round++) {
      ours.lock(first);
      ours.unlock(first);
      theirs.lock(second);
      expect([ours.tryLock(first), ours.owns(second), theirs.tryLock(first), ours.tryLock(second)]).toEqual([
        true,
        false,
        false,
        false,
      ]);
      theirs.unlock(second);
      ours.lock(second);
      expect(() => theirs.unlock(second)).toThrow(MisuseError);
      ours.unlock(second);
      ours.unlock(first);
      expect(() => ours.unlock(first)).toThrow(MisuseError);
      expect(ours.inspect().keys).toEqual([]);
    }
  });

  test('the waiters of a key are served in the order of their calls', async () => {
    const { ours, theirs } = pairIn(engine);
    ours.lock('k');
    const order: number[] = [];
    const waits = [theirs, ours, theirs, ours].map(async (keyed, index) => {
      await keyed.lockAsync('k');
      order.push(index);
      keyed.unlock('k');
    });
    expect(ours.inspect().keys[0]?.waiters.length).toBe(4);
    ours.unlock('k');
    await Promise.all(waits);
    expect(order).toEqual([0, 1, 2, 3]);
    expect(keysOf(ours)).toEqual([]);
  });

  test('hold(), tryHold(), holdAsync(), run() and runAsync() unlock the key', async () => {
    const { ours, theirs } = pairIn(engine);
    const guards: (Guard | null)[] = [ours.hold('a'), ours.tryHold('b'), await ours.holdAsync('c')];
    expect(['a', 'b', 'c'].map((key) => theirs.tryHold(key))).toEqual([null, null, null]);
    for (const guard of guards) guard?.release();
    expect(ours.run('a', () => theirs.tryLock('a'))).toBe(false);
    expect(await ours.runAsync('a', async () => Promise.resolve(theirs.tryLock('a')))).toBe(false);
    expect(() =>
      ours.run('a', () => {
        throw new Error('body');
      }),
    ).toThrow('body');
    expect(keysOf(ours)).toEqual([]);
  });

  test('at() returns a lock without words of its own', () => {
    const { arena, ours } = pairIn(engine);
    const before = lockBlocks(arena);
    const lock = ours.at('k');
    expect([lockBlocks(arena), lock.key, lock.owned, String(lock)]).toEqual([
      before,
      'k',
      false,
      `KeyedMutex 'accounts', key "k"`,
    ]);
    lock.lock();
    expect([lock.owned, ours.owns('k'), ours.at('k').owned, ours.at('j').owned]).toEqual([true, true, true, false]);
    ours.unlock('k');
    expect(lock.owned).toBe(false);
  });

  test('inspect() reports the owner and the waiters of each key', async () => {
    const { ours, theirs } = pairIn(engine);
    ours.lock('k');
    const wait = theirs.lockAsync('k');
    expect(theirs.inspect()).toMatchObject({
      kind: 'keyed-mutex',
      name: 'accounts',
      keys: [
        {
          key: 'k',
          owner: ours.arena.agentId,
          consistency: 'consistent',
          waiters: [{ agent: theirs.arena.agentId, kind: 'async' }],
        },
      ],
    });
    ours.unlock('k');
    await wait;
    theirs.unlock('k');
  });

  test('free() throws while a key is in use, and afterwards leaves nothing in memory', () => {
    const { arena, ours, theirs } = pairIn(engine);
    const before = lockBlocks(arena);
    ours.lock('k');
    expect(() => theirs.free()).toThrow(/^KeyedMutex 'accounts: k' is in use and cannot be freed: held by agent/);
    ours.unlock('k');
    theirs.free();
    expect(lockBlocks(arena)).toBe(before - 1);
    expect(() => ours.lock('k')).toThrow("The keyed mutex 'accounts' was freed and cannot be used any more.");
  });

  test('two keyed mutexes of an arena have separate keys', () => {
    const { arena, ours } = pairIn(engine);
    const other = KeyedMutex.create({ arena, name: 'others' });
    ours.lock('k');
    expect(other.tryLock('k')).toBe(true);
    other.unlock('k');
    ours.unlock('k');
  });

  test('a blocking call behind an async wait of its own agent throws a DeadlockError and takes nothing', async () => {
    const { ours, theirs } = pairIn(engine);
    ours.lock('k');
    const wait = theirs.lockAsync('k');
    expect(() => theirs.lock('k')).toThrow(/would block this agent behind 1 async wait of its own/);
    expect(ours.inspect().keys[0]?.waiters.length).toBe(1);
    ours.unlock('k');
    await wait;
    theirs.unlock('k');
  });

  test('a signal that calls the keyed mutex while its listener is added gets an error, and the call continues', async () => {
    const { ours, theirs } = pairIn(engine);
    ours.lock('k');
    const failures: unknown[] = [];
    const signal = {
      aborted: false,
      reason: undefined,
      throwIfAborted: () => undefined,
      addEventListener: () => {
        try {
          theirs.tryLock('other');
        } catch (failure) {
          failures.push(failure);
        }
      },
      removeEventListener: () => undefined,
    };
    const wait = theirs.lockAsync('k', { signal: signal as unknown as AbortSignal });
    expect(failures.map((failure) => hasCode(failure, 'SLUICE_MISUSE'))).toEqual([true]);
    ours.unlock('k');
    await wait;
    theirs.unlock('k');
  });
});
