// Tests that a user with the rights that the README names can use every primitive, and that these rights list every
// command. A user without them gets a `RedisError` from `connect`.

import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expect, test } from 'vitest';
import { connect } from '@sluice/redis';
import { failureOf, onServer, until } from './support/server.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

onServer(
  'a user with the rights of the README',
  (it) => {
    it('can use every primitive', async ({ url, namespace, command }) => {
      const rule = /`ACL SETUSER locks ([^`]+)`/.exec(README)?.[1] ?? '';
      await command('ACL', 'SETUSER', 'locks', ...rule.split(/\s+/));
      const open = (): ReturnType<typeof connect> =>
        connect(createClient({ url, username: 'locks', password: 'password' }), {
          namespace,
          lease: 3000,
          onWarning: () => undefined,
        });
      const [a, b] = [await open(), await open()];
      const guard = await a.mutex('m').holdAsync();
      const waiting = b.mutex('m').holdAsync();
      await until('it waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await guard.release();
      await (await waiting).release();
      const [semaphore, signal] = [a.semaphore('s', 2, { linger: 50 }), a.semaphore('stop', 0, { recovery: false })];
      await semaphore.runAsync(() => undefined, 2);
      await semaphore.runAsync(() => b.semaphore('s', 2, { linger: 50 }).runAsync(() => undefined));
      await signal.release();
      await signal.acquireAsync();
      await a.rwLock('t').writer.runAsync(() => undefined);
      const limit = b.limit('l', { concurrency: 2, interval: 20, intervalCap: 1 });
      expect(await Promise.all([1, 2, 3].map((n) => limit(() => n)))).toEqual([1, 2, 3]);
      await limit.resize(3);
      await b.countdownLatch('d', 1).done();
      await a.countdownLatch('d', 1).waitAsync();
      await Promise.all([a, b].map((space) => space.barrier('b', 2).waitAsync()));
      const limiter = b.rateLimiter('r', { permits: 1, interval: 1e9, burst: 2 });
      await limiter.acquireAsync();
      expect([
        await limiter.tryAcquire(),
        (await limiter.retryAfter()) > 0,
        await limiter.reserve().then((booked) => booked.cancel()),
      ]).toEqual([true, true, true]);
      const jobs = [a.keyedMutex('k'), b.keyedMutex('k')] as const;
      await Promise.all(jobs.map((mutex) => mutex.runAsync('x', () => undefined)));
      expect(await jobs[0].tryLock('y')).toBe(true);
      expect(await jobs[1].tryLock('y')).toBe(false);
      expect((await jobs[1].inspect()).keys).toMatchObject([{ key: 'y', waiting: 0 }]);
      await jobs[0].unlock('y');
      await Promise.all([a.once('o').waitAsync(), b.once('o').runAsync(() => undefined)]);
      expect(await Promise.all([a.lazy('z').waitAsync(), b.lazy('z').getAsync(() => 5)])).toEqual([5, 5]);
      const kept = await b.mutex('kept').holdAsync();
      const session = await b.session();
      const renewed = session.wallDeadline;
      await until('a heartbeat', () => session.wallDeadline > renewed);
      await semaphore.close();
      await kept.release();
      await Promise.all([a.close(), b.close()]);
    });

    it('gets an error from connect() if the right to subscribe is missing', async ({ url, namespace, command }) => {
      await command('ACL', 'SETUSER', 'deaf', 'on', '>password', '~*', 'resetchannels', '+@all');
      for (const client of [
        createClient({ url, username: 'deaf', password: 'password' }),
        new Redis(url, { username: 'deaf', password: 'password', lazyConnect: true }),
      ]) {
        const failure = await failureOf(connect(client, { namespace, onWarning: () => undefined }));
        expect(failure).toMatchObject({ name: 'RedisError', code: 'SLUICE_REDIS' });
        expect(failure.message).toMatch(/^No session at the Redis server: .*NOPERM/);
      }
    });
  },
  { own: true },
);

test.each(['sSubscribe', 'ssubscribe'])(
  'connect() fails after its timeout if the library never makes the subscription (%s)',
  async (method) => {
    const client: Record<string, unknown> = {
      duplicate: () => client,
      connect: () => Promise.resolve(),
      destroy: () => undefined,
      disconnect: () => undefined,
      on: (event: string, listener: () => void) => event === 'ready' && queueMicrotask(listener),
      sendCommand: () => Promise.resolve('redis_version:7.2.0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n'),
      call: () => Promise.resolve('redis_version:7.2.0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n'),
      [method]: () => new Promise(() => undefined),
    };
    const failure = await failureOf(connect(client as never, { namespace: 'a', connectTimeout: 50 }));
    expect(failure).toMatchObject({ name: 'RedisError', code: 'SLUICE_REDIS' });
    expect(failure.message).toMatch(/^No session at the Redis server: no subscription within 50 ms/);
  },
);
