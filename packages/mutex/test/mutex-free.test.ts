import { Arena, HandleError, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);

const USES: readonly (readonly [call: string, use: (mutex: Mutex | RecursiveMutex) => unknown])[] = [
  ['lock()', (mutex) => mutex.lock()],
  ['tryLock()', (mutex) => mutex.tryLock()],
  ['tryLock(Infinity)', (mutex) => mutex.tryLock(Infinity)],
  ['lockAsync()', (mutex) => mutex.lockAsync()],
  ['run(body)', (mutex) => mutex.run(() => 0)],
  ['runAsync(body)', (mutex) => mutex.runAsync(() => 0)],
  ['markConsistent()', (mutex) => mutex.markConsistent()],
  ['inspect()', (mutex) => mutex.inspect()],
  ['owned', (mutex) => mutex.owned],
  ['free()', (mutex) => mutex.free()],
];

describe.each([
  ['Mutex', Mutex],
  ['RecursiveMutex', RecursiveMutex],
] as const)('%s', (_, Kind) => {
  function create(): { ours: Mutex | RecursiveMutex; theirs: Mutex | RecursiveMutex } {
    const ours = Kind.create({ arena });
    return { ours, theirs: openAs(other, ours.handle, (handle) => Kind.from(handle as never)) };
  }

  async function expectRefusedByStale(use: (mutex: Mutex | RecursiveMutex) => unknown): Promise<void> {
    const { ours } = create();
    ours.free();
    const next = Kind.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    next.lock();
    const before = officeAt(arena, next.handle.address);
    await expect(Promise.resolve().then(() => use(ours))).rejects.toThrow(MisuseError);
    expect(officeAt(arena, next.handle.address)).toEqual(before);
    expect(next.owned).toBe(true);
    next.unlock();
    next.free();
  }

  test('its memory serves the next one, and its handle leads nowhere', () => {
    const { ours } = create();
    ours.free();
    const next = Kind.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    expect(next.handle.tag).not.toBe(ours.handle.tag);
    expect(() => Kind.from(ours.handle as never)).toThrow(HandleError);
    expectAtRest(arena, next.handle);
    next.free();
  });

  test('every instance of every agent is freed', () => {
    const { ours, theirs } = create();
    theirs.free();
    for (const mutex of [ours, theirs]) expect(() => mutex.tryLock()).toThrow(MisuseError);
  });

  test('is refused while an agent owns it, this one too', () => {
    const { ours, theirs } = create();
    ours.lock();
    for (const mutex of [ours, theirs]) expect(() => mutex.free()).toThrow('is in use and cannot be freed');
    expect([ours.owned, theirs.tryLock()]).toEqual([true, false]);
    ours.unlock();
    ours.free();
  });

  test('is refused while agents wait, and while it is on its way to one of them', async () => {
    const { ours, theirs } = create();
    ours.lock();
    const wait = theirs.lockAsync();
    expect(() => ours.free()).toThrow(MisuseError);
    ours.unlock();
    for (const mutex of [ours, theirs]) expect(() => mutex.free()).toThrow(MisuseError);
    await wait;
    theirs.unlock();
    expectAtRest(arena, ours.handle);
    ours.free();
  });

  test.each(USES)('%s of a freed one is refused, and touches nothing of this agent’s mutex in its place', async (_, use) => {
    await expectRefusedByStale(use);
  });

  test('unlock() of a freed one is refused, and touches nothing of this agent’s mutex in its place', async () => {
    await expectRefusedByStale((mutex) => mutex.unlock());
  });

  test('ten thousand of them one after the other take no more memory than the first few', () => {
    const used = (): number => arena.inspect().used;
    for (let round = 0; round < 100; round++) Kind.create({ arena, name: `${round}` }).free();
    const before = used();
    for (let round = 0; round < 10_000; round++) {
      const mutex = Kind.create({ arena });
      mutex.lock();
      mutex.unlock();
      mutex.free();
    }
    expect(used()).toBe(before);
  });
});
