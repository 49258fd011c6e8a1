// @ts-check
// One way to take a lock over a Postgres server, for each way that there is.
import { connect } from '@sluice/postgres';
import pg from 'pg';

/** @typedef {import('../lib/take-and-release.mjs').Subject} Subject */

const LEASE_MS = 10_000;
/** The peers keep a connection for each waiter. */
const MOST_WAITERS = 90;

/** @type {Record<string, (url: string) => Promise<Subject>>} */
export const SUBJECTS = {
  'two BEGIN, SELECT, COMMIT': (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const trip = () => pool.query('BEGIN; SELECT 1; COMMIT');
    return Promise.resolve({
      take: async () => {
        await trip();
        return trip;
      },
      close: () => pool.end(),
    });
  },
  'sluice mutex': (url) => sluice(url, {}),
  'sluice mutex, bypass 16': (url) => sluice(url, { bypass: 16 }),
  'sluice mutex, bypass 16, linger 1 s': (url) => sluice(url, { bypass: 16, linger: 1000 }),
  'sluice mutex, poll 10 ms': (url) => sluice(url, {}, { listen: false, poll: 10 }),
  'sluice mutex, lease 1 h': (url) => sluice(url, {}, { lease: 3_600_000 }),
  pg_advisory_lock: (url) => {
    const pool = new pg.Pool({ connectionString: url, max: MOST_WAITERS });
    return Promise.resolve({
      take: async () => {
        const client = await pool.connect();
        await client.query('SELECT pg_advisory_lock(1)');
        return async () => {
          await client.query('SELECT pg_advisory_unlock(1)');
          client.release();
        };
      },
      close: () => pool.end(),
    });
  },
};

/**
 * @param {string} url
 * @param {import('@sluice/postgres').RemoteLockOptions} options
 * @param {Partial<import('@sluice/postgres').ConnectOptions>} more
 * @returns {Promise<Subject>}
 */
async function sluice(url, options, more = {}) {
  const pool = new pg.Pool({ connectionString: url });
  const space = await connect(pool, { namespace: 'bench', lease: LEASE_MS, ...more });
  const mutex = space.mutex('m', options);
  return {
    take: async () => {
      const guard = await mutex.holdAsync();
      return () => guard.release();
    },
    close: () => space.close(),
  };
}
