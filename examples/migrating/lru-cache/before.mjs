import { Mutex } from 'async-mutex';
import { LRUCache } from 'lru-cache';

/** @type {LRUCache<string, { name: string }>} */
const users = new LRUCache({ max: 1000, ttl: 60_000 });
/** @type {Map<string, Mutex>} */
const locks = new Map();
let loads = 0;

/** Stands for a database. @param {string} id */
async function load(id) {
  loads += 1;
  await new Promise((resolve) => setTimeout(resolve, 2));
  return { name: `user ${id}` };
}

/** @param {string} id */
async function user(id) {
  const known = users.get(id);
  if (known !== undefined) return known;
  const lock = locks.get(id) ?? new Mutex();
  locks.set(id, lock);
  return lock.runExclusive(async () => {
    try {
      const loaded = users.get(id) ?? (await load(id));
      users.set(id, loaded);
      return loaded;
    } finally {
      locks.delete(id);
    }
  });
}

const found = await Promise.all(Array.from({ length: 100 }, (_, call) => user(`${call % 5}`)));
console.log(found.length, found[7]?.name, loads);
users.delete('2');
console.log((await user('2')).name, users.has('9'), loads);
