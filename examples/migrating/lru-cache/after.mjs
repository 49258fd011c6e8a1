import { SharedCache } from 'sluice';

const users = SharedCache.create({ maxBytes: 1_000_000, ttl: 60_000 });
let loads = 0;

/** Stands for a database. @param {string} id */
async function load(id) {
  loads += 1;
  await new Promise((resolve) => setTimeout(resolve, 2));
  return { name: `user ${id}` };
}

/** @param {string} id */
const user = (id) => users.getAsync(id, load);

const found = await Promise.all(Array.from({ length: 100 }, (_, call) => user(`${call % 5}`)));
console.log(found.length, found[7]?.name, loads);
users.delete('2');
console.log((await user('2')).name, users.has('9'), loads);
