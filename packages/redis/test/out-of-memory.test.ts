// Tests a server that has reached `maxmemory` and evicts no keys. Calls that need no more memory work, and calls that
// take something fail.

import { fence, type Space } from '@sluice/redis';
import { createClient } from 'redis';
import { expect } from 'vitest';
import { failureOf, onServer, until, type Ground } from './support/server.ts';

const LEASE = 10_000;
const FULL =
  'The Redis server has no memory left (maxmemory), and refused a call that needs some. Nothing was changed. The server says: OOM ';

/** Runs `body` while the server has no memory left. */
async function whileFull<T>({ command }: Ground, body: () => Promise<T>): Promise<T> {
  await command('CONFIG', 'SET', 'maxmemory', '1');
  try {
    return await body();
  } finally {
    await command('CONFIG', 'SET', 'maxmemory', '0');
  }
}

/** Returns the ends of the leases of the namespace, by its clock. */
async function leases({ command, namespace }: Ground): Promise<number[]> {
  // A flat list with RESP2, a list of pairs with RESP3.
  const all = ((await command('ZRANGE', `sl:{${namespace}}:S`, '0', '-1', 'WITHSCORES')) as unknown[]).flat();
  return all.filter((_, index) => index % 2 === 1).map(Number);
}

onServer(
  'a server without memory',
  (it, ground) => {
    it('renews leases for three leases, and passes a lock on to a waiter with a greater token', async (here) => {
      const lease = 1500;
      const [space, other] = [await here.open({ lease }), await here.open({ lease })];
      const guard = await space.mutex('m').holdAsync();
      const waiting = other.mutex('m').holdAsync();
      await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
      await whileFull(here, async () => {
        const before = Math.max(...(await leases(here)));
        await until(
          `the leases are renewed for three leases after ${before}`,
          async () => guard.signal.aborted || Math.min(...(await leases(here))) > before + 3 * lease,
        );
        expect(guard.signal.aborted).toBe(false);
        await guard.release();
        const next = await waiting;
        expect(next.signal.aborted).toBe(false);
        expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
        await next.release();
      });
    });

    /** Each entry prepares something, and returns a call that must work while the server is full. */
    const frees: Readonly<Record<string, (space: Space, other: Space) => Promise<() => Promise<unknown>>>> = {
      'a semaphore gets back some of its permits, and then the rest': async (space) => {
        const slots = space.semaphore('s', 3);
        await slots.acquireAsync(3);
        return async () => {
          await slots.release(2);
          await slots.release();
          expect((await slots.inspect()).available).toBe(3);
        };
      },
      'a signal is posted to a waiter': async (space, other) => {
        const options = { recovery: false };
        await space.semaphore('news', 1, options).acquireAsync();
        const wait = other.semaphore('news', 1, options).acquireAsync();
        await until('it waits', async () => (await space.semaphore('news', 1, options).inspect()).waiters.length === 1);
        return async () => {
          await space.semaphore('news', 1, options).release();
          await wait;
        };
      },
      'a key is unlocked': async (space) => {
        const keyed = space.keyedMutex('k');
        await keyed.lockAsync('a');
        return async () => {
          await keyed.unlock('a');
          expect((await keyed.inspect()).keys).toEqual([]);
        };
      },
      'a read-write lock is unlocked, and a waiting writer gets it': async (space, other) => {
        const read = await space.rwLock('rw').reader.holdAsync();
        const write = other.rwLock('rw').writer.holdAsync();
        await until('it waits', async () => (await space.rwLock('rw').writer.inspect()).waiters.length === 1);
        return async () => {
          await read.release();
          await (await write).release();
        };
      },
      'a function of a limit ends': async (space) => {
        const limit = space.limit('l', 1);
        let end: () => void = () => undefined;
        const call = limit(() => new Promise<void>((resolve) => (end = resolve)));
        await until('it runs', () => limit.activeCount === 1);
        return async () => {
          end();
          await call;
        };
      },
      'a waiter leaves': async (space, other) => {
        const guard = await space.mutex('m').holdAsync();
        const leave = new AbortController();
        const wait = failureOf(other.mutex('m').lockAsync({ signal: leave.signal }));
        await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
        return async () => {
          leave.abort(new Error('gave up'));
          await wait;
          await until('the function has left', async () => (await space.mutex('m').inspect()).waiters.length === 0);
          await guard.release();
        };
      },
      'a booking is cancelled': async (space) => {
        const rate = space.rateLimiter('r', { permits: 1, interval: 1_000_000 });
        await rate.acquireAsync();
        const booking = await rate.reserve();
        return async () => expect(await booking.cancel()).toBe(true);
      },
      'a once finishes, and its waiters continue': async (space, other) => {
        let end: () => void = () => undefined;
        const run = space.once('o').runAsync(() => new Promise<void>((resolve) => (end = resolve)));
        const wait = other.once('o').waitAsync();
        await until('it waits', async () => (await space.once('o').inspect()).waiters.length === 1);
        return async () => {
          end();
          await Promise.all([run, wait]);
        };
      },
      'a latch is counted down': async (space, other) => {
        const wait = other.countdownLatch('d', 1).waitAsync();
        await until('it waits', async () => (await space.countdownLatch('d', 1).waiting) === 1);
        return async () => {
          await space.countdownLatch('d', 1).done();
          await wait;
        };
      },
      'a party leaves a barrier, and the other parties continue': async (space, other) => {
        const wait = other.barrier('b', 2).waitAsync();
        await until('it waits', async () => (await space.barrier('b', 2).waiting) === 1);
        return async () => {
          await space.barrier('b', 2).deregister();
          await wait;
        };
      },
      'a mutex is closed': async (space, other) => {
        const guard = await space.mutex('m').holdAsync();
        const wait = failureOf(other.mutex('m').lockAsync());
        await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
        return async () => {
          await space.mutex('m').close();
          expect((await wait).code).toBe('SLUICE_CLOSED');
          await guard.release();
        };
      },
      'a session ends, and the next one gets its permits': async (space, other) => {
        await space.mutex('m').holdAsync();
        const wait = other.mutex('m').holdAsync();
        await until('it waits', async () => (await space.mutex('m').inspect()).waiters.length === 1);
        return async () => {
          await space.close();
          await (await wait).release();
        };
      },
      'fence() compares a token': async (space) => {
        const guard = await space.mutex('m').holdAsync();
        const { url, namespace } = ground();
        const client = createClient({ url });
        await client.connect();
        const key = `{${namespace}}resource`;
        await fence(client, key, guard.fencingToken - 1n);
        return async () => {
          expect(await fence(client, key, guard.fencingToken)).toBe(true);
          expect(await fence(client, key, guard.fencingToken - 1n)).toBe(false);
          client.destroy();
        };
      },
    };
    for (const [name, prepare] of Object.entries(frees)) {
      it(name, async (here) => {
        const act = await prepare(await here.open({ lease: LEASE }), await here.open({ lease: LEASE }));
        await whileFull(here, act);
      });
    }

    it('refuses calls that take something, with an error that names the cause, and nothing is taken', async (here) => {
      const space = await here.open({ lease: LEASE });
      const calls: readonly (() => Promise<unknown>)[] = [
        () => space.mutex('m').lockAsync(),
        () => space.mutex('m').tryLock(),
        () => space.semaphore('s', 2).acquireAsync(),
        () => space.keyedMutex('k').lockAsync('a'),
        () => space.limit('l', 1)(() => 'ran'),
        () => space.rateLimiter('r', { permits: 1, interval: 1000 }).acquireAsync(),
        () => space.once('o').runAsync(() => undefined),
        () => space.lazy('z').getAsync(() => 1),
        () => space.countdownLatch('d', 1).waitAsync(),
        () => space.countdownLatch('d', 1).add(),
        () => space.barrier('b', 2).waitAsync(),
      ];
      const failures = await whileFull(here, () => Promise.all(calls.map((call) => failureOf(call()))));
      for (const failure of failures) {
        expect(failure).toMatchObject({ name: 'RedisError', code: 'SLUICE_REDIS' });
        expect(failure.message.startsWith(FULL)).toBe(true);
      }
      await here.open({ lease: LEASE });
      expect((await space.mutex('m').inspect()).holders).toEqual([]);
      expect(await space.mutex('m').tryLock()).toBe(true);
      expect(await space.lazy('z').getAsync(() => 2)).toBe(2);
    });

    it('refuses the value of a lazy, and the next caller computes one', async (here) => {
      const [space, other] = [await here.open({ lease: LEASE }), await here.open({ lease: LEASE })];
      let end: (value: string) => void = () => undefined;
      const call = failureOf(space.lazy('z').getAsync(() => new Promise<string>((resolve) => (end = resolve))));
      await until('it runs', async () => (await space.lazy('z').inspect()).state === 'running');
      const next = other.lazy('z').getAsync(() => 'later');
      await until('it waits', async () => (await space.lazy('z').inspect()).waiters.length === 1);
      const failure = await whileFull(here, () => {
        end('value');
        return call;
      });
      expect(failure.message.startsWith(FULL)).toBe(true);
      expect(await next).toBe('later');
    });

    it('refuses a new session, and accepts one when it has memory again', async (here) => {
      const failure = await whileFull(here, () => failureOf(here.open({ lease: LEASE })));
      expect(failure.message.startsWith(FULL)).toBe(true);
      expect(await (await here.open()).mutex('m').tryLock()).toBe(true);
    });
  },
  { own: true },
);
