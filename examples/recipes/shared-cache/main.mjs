import { SharedCache, spawn } from 'sluice';
import { isMainThread, workerData } from 'node:worker_threads';

const USERS = 50;

/**
 * Stands for a database.
 * @param {string} id
 */
async function load(id) {
  await new Promise((resolve) => setTimeout(resolve, 2));
  return { name: `user ${id}` };
}

if (isMainThread) {
  const users = SharedCache.create({ maxBytes: 1_000_000, ttl: 60_000, name: 'users' });
  const workers = [1, 2, 3].map(() => spawn(import.meta.url, { data: users.handle }));
  await Promise.all(workers.map(({ ended }) => ended));
  const { hits, misses, computed } = users.statistics();
  console.log(`${hits + misses} lookups, each of ${USERS} users loaded once: ${computed === USERS}`);
  console.log((await users.getAsync('12', load)).name);
} else {
  const users = SharedCache.from(workerData);
  for (let n = 0; n < 1000; n++) await users.getAsync(`${n % USERS}`, load);
}
