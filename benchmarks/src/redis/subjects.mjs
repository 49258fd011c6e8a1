// @ts-check
// One way to take one permit over a server, for each library.
import { connect } from '@sluice/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

/** @typedef {import('../lib/take-and-release.mjs').Subject} Subject */

const LEASE_MS = 10_000;
/** Peers try again without end. */
const FOREVER_MS = 600_000;
const SEMAPHORE_PERMITS = 4;

/** @type {Record<string, (url: string) => Promise<Subject>>} */
export const SUBJECTS = {
  'two PINGs': async (url) => {
    const client = createClient({ url });
    await client.connect();
    return {
      take: async () => {
        await client.ping();
        return () => client.ping();
      },
      close: () => client.close(),
    };
  },
  'sluice mutex': (url) => sluice(url, 1, {}),
  'sluice mutex, bypass 4': (url) => sluice(url, 1, { bypass: 4 }),
  'sluice mutex, bypass 16': (url) => sluice(url, 1, { bypass: 16 }),
  'sluice mutex, bypass 16, linger 1 s': (url) => sluice(url, 1, { bypass: 16, linger: 1000 }),
  'sluice semaphore': (url) => sluice(url, SEMAPHORE_PERMITS, {}),
  'sluice semaphore, bypass 16, linger 1 s': (url) => sluice(url, SEMAPHORE_PERMITS, { bypass: 16, linger: 1000 }),
  'redis-semaphore Mutex': async (url) => {
    const { Mutex } = await import('redis-semaphore');
    const client = new Redis(url);
    return {
      take: async () => {
        const mutex = new Mutex(client, 'bench', { lockTimeout: LEASE_MS, acquireTimeout: FOREVER_MS });
        await mutex.acquire();
        return () => mutex.release();
      },
      close: () => client.quit(),
    };
  },
  'redis-semaphore Semaphore': async (url) => {
    const { Semaphore } = await import('redis-semaphore');
    const client = new Redis(url);
    return {
      take: async () => {
        const semaphore = new Semaphore(client, 'bench', SEMAPHORE_PERMITS, {
          lockTimeout: LEASE_MS,
          acquireTimeout: FOREVER_MS,
        });
        await semaphore.acquire();
        return () => semaphore.release();
      },
      close: () => client.quit(),
    };
  },
  'redlock, 10 ms': async (url) => {
    const { default: Redlock } = await import('redlock');
    const client = new Redis(url);
    const redlock = new Redlock([client], { retryCount: -1, retryDelay: 10, retryJitter: 5 });
    return {
      take: async () => {
        const lock = await redlock.acquire(['bench'], LEASE_MS);
        return () => lock.release();
      },
      close: () => client.quit(),
    };
  },
  'redlock-universal, 100 ms': async (url) => {
    const { createLock, IoredisAdapter } = await import('redlock-universal');
    const client = new Redis(url);
    const lock = createLock({
      adapter: new IoredisAdapter(/** @type {never} */ (client)),
      key: 'bench',
      ttl: LEASE_MS,
      retryAttempts: 1_000_000,
      retryDelay: 100,
    });
    return {
      take: async () => {
        const handle = await lock.acquire();
        return () => lock.release(handle);
      },
      close: () => client.quit(),
    };
  },
};

/**
 * @param {string} url
 * @param {number} permits
 * @param {import('@sluice/redis').RemoteLockOptions} options
 * @returns {Promise<Subject>}
 */
async function sluice(url, permits, options) {
  const space = await connect(createClient({ url }), {
    namespace: 'bench',
    lease: LEASE_MS,
    onWarning: () => undefined,
  });
  const shared = permits === 1 ? space.mutex('m', options) : space.semaphore('s', permits, options);
  return {
    take: async () => {
      const guard = await shared.holdAsync();
      return () => guard.release();
    },
    close: () => space.close(),
  };
}
