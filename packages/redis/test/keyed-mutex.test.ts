import { expect } from 'vitest';
import type { RemoteKeyLock } from '@sluice/redis';
import { failureOf, onServer, until } from './support/server.ts';

onServer('a keyed mutex', (it) => {
  it('admits one caller per key, over all sessions', async ({ open }) => {
    const [a, b] = [(await open()).keyedMutex('jobs'), (await open()).keyedMutex('jobs')];
    const inside = new Map<string, number>();
    let [most, now, ran] = [0, 0, 0];
    let meet: () => void = () => undefined;
    /** Callers with different keys are inside at the same time. */
    const met = new Promise<void>((resolve) => (meet = resolve));
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const key = `job ${i % 3}`;
        await (i % 2 === 0 ? a : b).runAsync(key, async () => {
          inside.set(key, (inside.get(key) ?? 0) + 1);
          most = Math.max(most, inside.get(key) ?? 0);
          if (++now === 2) meet();
          await met;
          inside.set(key, (inside.get(key) ?? 0) - 1);
          now--;
          ran++;
        });
      }),
    );
    expect([most, ran]).toEqual([1, 60]);
  });

  it('serves the waiters of a key in order of arrival', async ({ open }) => {
    const mutexes = [(await open()).keyedMutex('jobs'), (await open()).keyedMutex('jobs')] as const;
    const locks = mutexes.map((mutex) => mutex.at('7'));
    const guard = await locks[0]?.holdAsync();
    const order: number[] = [];
    const waits: Promise<void>[] = [];
    for (let i = 0; i < 6; i++) {
      waits.push((locks[i % 2] as RemoteKeyLock).runAsync(() => void order.push(i)));
      await until('it waits', async () => (await mutexes[0].inspect()).keys[0]?.waiting === i + 1);
    }
    await guard?.release();
    await Promise.all(waits);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('keeps no data of an unused key, on the server or in the process', async ({ open, command, namespace }) => {
    const [a, b] = [(await open()).keyedMutex('jobs'), (await open()).keyedMutex('jobs')];
    const keys = (): Promise<unknown> => command('KEYS', `sl:{${namespace}}:[pqu]:*`);
    await Promise.all(Array.from({ length: 200 }, (_, i) => a.runAsync(`job ${i}`, () => undefined)));
    expect(await keys()).toEqual([]);
    // Other sessions have waited for this key, timed out, and tried it.
    const guard = await a.holdAsync('job');
    const next = b.holdAsync('job');
    expect([await b.tryLock('job'), await a.tryLock('job', 5)]).toEqual([false, false]);
    await guard.release();
    await (await next).release();
    expect(await keys()).toEqual([]);
    expect((await failureOf(a.unlock('job'))).code).toBe('SLUICE_MISUSE');
    expect([a.owns('job'), b.owns('job')]).toEqual([false, false]);
    expect(await a.inspect()).toEqual({ kind: 'keyed-mutex', name: 'jobs', keys: [] });
  });

  it('gives each grant a greater token, even after the key was unused', async ({ open }) => {
    const mutex = (await open()).keyedMutex('jobs');
    let last = 0n;
    for (let i = 0; i < 10; i++) {
      const token = await mutex.runAsync(`job ${i % 2}`, ({ fencingToken }) => fencingToken);
      expect(token).toBeGreaterThan(last);
      last = token;
    }
  });

  it('locks and unlocks without guards, and knows which keys this process holds', async ({ open }) => {
    const [a, b] = [(await open()).keyedMutex('jobs'), (await open()).keyedMutex('jobs')];
    await a.lockAsync('x');
    expect([
      a.owns('x'),
      a.at('x').owned,
      b.owns('x'),
      await b.tryLock('x'),
      (await b.tryHold('y', 10_000)) !== null,
    ]).toEqual([true, true, false, false, true]);
    const { keys } = await b.inspect();
    expect(keys.map(({ key, waiting }) => [key, waiting]).toSorted()).toEqual([
      ['x', 0],
      ['y', 0],
    ]);
    expect(keys.find(({ key }) => key === 'x')?.holder?.label).toMatch(/^process \d+ on \S+$/);
    await a.at('x').unlock();
    expect(a.owns('x')).toBe(false);
    expect((await failureOf(a.unlock('x'))).message).toBe(
      `KeyedMutex 'jobs', key "x": cannot release 1 permit: this process holds 0 without a guard. Nothing was released.`,
    );
    expect((await failureOf(a.lockAsync('y', { timeout: 20 }))).message).toBe(
      `KeyedMutex 'jobs', key "y": timed out after 20 ms waiting for 1 permit. No permit was taken.`,
    );
  });

  it('counts a key as locked while its unlock is on the way', async ({ open }) => {
    const mutex = (await open()).keyedMutex('jobs');
    await mutex.lockAsync('x');
    const unlocked = mutex.unlock('x');
    const locked = mutex.lockAsync('x');
    await unlocked;
    await locked;
    expect(mutex.owns('x')).toBe(true);
    await mutex.unlock('x');
    expect([mutex.owns('x'), await mutex.tryLock('x')]).toEqual([false, true]);
  });

  it('distinguishes keys and mutexes whose names end and begin alike', async ({ open }) => {
    const space = await open();
    await space.keyedMutex('a:b').lockAsync('c');
    expect(await space.keyedMutex('a').tryLock('b:c')).toBe(true);
    expect(await space.keyedMutex('a:b').tryLock('')).toBe(true);
    expect(await space.mutex('3:a:b:c').tryLock()).toBe(true);
  });

  it('hands the keys of a closing session to their next waiters', async ({ open }) => {
    const [first, second] = [await open(), await open()];
    const guard = await first.keyedMutex('jobs').holdAsync('x');
    const next = second.keyedMutex('jobs').holdAsync('x');
    await until('it waits', async () => (await first.keyedMutex('jobs').inspect()).keys[0]?.waiting === 1);
    await first.close();
    expect((await next).fencingToken).toBeGreaterThan(guard.fencingToken);
    expect((await failureOf(guard.release())).code).toBe('SLUICE_LEASE_LOST');
  });
});
