// Tests faults of rate limiters, keyed mutexes, onces and lazies, on real servers and processes.

import { byDepth } from '@sluice/harness';
import { expect } from 'vitest';
import { end, start } from './support/children.ts';
import { faultSize, seen } from '../../remote/test/faults/seen.ts';
import { killUntil } from './support/kills.ts';
import { onServer, until } from './support/server.ts';

/** The lease of a process that dies, in ms. */
const LEASE = 3000;
/** The lease of the living session, in ms. A busy machine may keep this process from renewing a short lease. */
const LONG = 5000;
const CALLS = faultSize(byDepth({ quick: 10, ci: 30, full: 60 }), 300);
const DIED = 'kill -9 with a key, in an initialiser, or at the head of a rate limiter';
const KILLED = 'Connections killed during calls of a rate limiter';

onServer(
  'a fault',
  (it) => {
    it('kill -9 of the holder of a key: the next holder is granted after the lease, and then no data of the key is left', async ({
      url,
      namespace,
      open,
      command,
    }) => {
      const holder = start('taker', url, namespace, String(LEASE), 'key');
      await until('it holds', () => holder.lines.length === 1);
      const mutex = (await open({ lease: LONG })).keyedMutex('jobs');
      const waiting = mutex.holdAsync('x');
      await until('it waits', async () => (await mutex.inspect()).keys[0]?.waiting === 1);
      await end(holder);
      await (await waiting).release();
      expect(await command('KEYS', `sl:{${namespace}}:[pq]:*`)).toEqual([]);
      await until('the dead session is gone', async () => Number(await command('ZCARD', `sl:{${namespace}}:S`)) === 1);
      expect(await command('KEYS', `sl:{${namespace}}:u:*`)).toEqual([]);
      seen(DIED, 'of a key: the next one went on, and nothing was left of the key');
    });

    it('kill -9 of the holder of a key without waiters: no data of the key is left after the lease', async ({
      url,
      namespace,
      open,
      command,
    }) => {
      const holder = start('taker', url, namespace, String(LEASE), 'key');
      await until('it holds', () => holder.lines.length === 1);
      await open({ lease: LONG });
      await end(holder);
      await until(
        'no data is left',
        async () => ((await command('KEYS', `sl:{${namespace}}:[pqu]:*`)) as string[]).length === 0,
      );
    });

    it('kill -9 of a process that runs an initialiser: the next process tries after the lease', async ({
      url,
      namespace,
      open,
    }) => {
      const runner = start('taker', url, namespace, String(LEASE), 'once');
      await until('it runs', () => runner.lines.length === 1);
      const once = (await open({ lease: LONG })).once('schema');
      const waiting = once.waitAsync();
      const trying = once.runAsync(() => undefined);
      await until('both wait', async () => (await once.inspect()).waiters.length === 2);
      await end(runner);
      await Promise.all([trying, waiting]);
      expect(await once.isDone).toBe(true);
      seen(DIED, 'in an initialiser: the next one ran, and the waiter went on');
    });

    it('kill -9 of a process that computes a value: the next process computes it after the lease, and the waiter gets it', async ({
      url,
      namespace,
      open,
    }) => {
      const runner = start('taker', url, namespace, String(LEASE), 'lazy');
      await until('it runs', () => runner.lines.length === 1);
      const lazy = (await open({ lease: LONG })).lazy<{ port: number }>('config');
      const waiting = lazy.waitAsync();
      const trying = lazy.getAsync(() => ({ port: 8080 }));
      await until('both wait', async () => (await lazy.inspect()).waiters.length === 2);
      await end(runner);
      expect(await Promise.all([trying, waiting])).toEqual([{ port: 8080 }, { port: 8080 }]);
      expect(await lazy.value).toEqual({ port: 8080 });
      seen(DIED, 'in the initialiser of a lazy: the next one computed the value, and the waiter got it');
    });

    it('kill -9 of a process at the head of a rate limiter: the next one moves up, and taken permits stay taken', async ({
      url,
      namespace,
      open,
    }) => {
      const head = start('taker', url, namespace, String(LEASE), 'rate');
      const limiter = (await open({ lease: LONG })).rateLimiter('api', { permits: 1, interval: 600_000, burst: 3 });
      await until('it waits', async () => head.lines.length === 1 && (await limiter.waiting) === 1);
      const next = limiter.acquireAsync(1);
      await until('the next process waits', async () => (await limiter.waiting) === 2);
      await end(head);
      await next;
      expect([await limiter.waiting, await limiter.available]).toEqual([0, 0]);
      seen(DIED, 'at the head of a rate limiter: the next one moved up');
    });

    it(
      'connections of commands and subscribers are killed repeatedly: each call takes its permits once',
      async ({ open, command }) => {
        const rate = { permits: 1, interval: 3_600_000, burst: 2 * CALLS };
        const limiters = [
          (await open({ lease: LONG })).rateLimiter('api', rate),
          (await open({ lease: LONG })).rateLimiter('api', rate),
        ] as const;
        const mutexes = [
          (await open({ lease: LONG })).keyedMutex('jobs'),
          (await open({ lease: LONG })).keyedMutex('jobs'),
        ] as const;
        const inside = new Map<string, number>();
        let [done, most] = [0, 0];
        const all = Promise.all(
          Array.from({ length: CALLS }, async (_, i) => {
            await new Promise((resolve) => setTimeout(resolve, i * 10));
            const at = i % 2 === 0 ? 0 : 1;
            if (i % 3 === 0) await limiters[at].reserve();
            else await limiters[at].acquireAsync();
            const key = `key ${i % 2}`;
            await mutexes[at].runAsync(key, async () => {
              inside.set(key, (inside.get(key) ?? 0) + 1);
              most = Math.max(most, inside.get(key) ?? 0);
              await new Promise((resolve) => setTimeout(resolve, 1));
              inside.set(key, (inside.get(key) ?? 0) - 1);
            });
            done++;
          }),
        );
        const kills = await killUntil(all, command, () => done);
        await all;
        const left = await limiters[0].available;
        expect([done, most, left]).toEqual([CALLS, 1, CALLS]);
        seen(
          KILLED,
          `${CALLS} permits of a rate limiter taken or booked, ${2 * CALLS - left} charged; ${CALLS} keys locked, never two at a time, with ${kills} kills`,
        );
      },
      120_000 + 200 * CALLS,
    );
  },
  { own: true },
);
