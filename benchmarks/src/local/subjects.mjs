// @ts-check
// Ways for processes of one machine to take a lock. Each gets a folder of its own.
import { connect } from '@sluice/local';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import lockfile from 'proper-lockfile';

/** @typedef {import('../lib/take-and-release.mjs').Subject} Subject */

const LEASE_MS = 10_000;

/** @type {Record<string, (folder: string) => Promise<Subject>>} */
export const SUBJECTS = {
  'sluice mutex': (folder) => sluice(folder, {}),
  'sluice mutex, bypass 16': (folder) => sluice(folder, { bypass: 16 }),
  'proper-lockfile, 5 ms': (folder) => {
    const file = join(folder, 'file');
    writeFileSync(file, '', { flag: 'a' });
    return Promise.resolve({
      take: () => lockfile.lock(file, { retries: { retries: 1e6, factor: 1, minTimeout: 5, maxTimeout: 5 } }),
      close: () => Promise.resolve(),
    });
  },
};

/**
 * @param {string} folder
 * @param {import('@sluice/local').RemoteLockOptions} options
 * @returns {Promise<Subject>}
 */
async function sluice(folder, options) {
  const space = await connect({ namespace: 'bench', lease: LEASE_MS, path: folder });
  const mutex = space.mutex('m', options);
  return {
    take: async () => {
      const guard = await mutex.holdAsync();
      return () => guard.release();
    },
    close: () => space.close(),
  };
}
