import { createLimit } from 'sluice';
import { setTimeout as sleep } from 'node:timers/promises';

const limit = createLimit(2);
const cancel = new AbortController();
/** @type {string[]} */
const stored = [];

/** @param {string} name */
async function store(name) {
  await sleep(5);
  stored.push(name);
}

const first = limit.map(['a', 'b'], store);
const never = limit.run(store, { args: ['never'], signal: cancel.signal, timeout: 60_000 }).catch(() => undefined);
cancel.abort();
await limit.map(['c', 'd'], store);
console.log(`${limit.pendingCount} waiting, ${limit.activeCount} running`);

const last = limit(store, 'e');
await Promise.all([first, never, last]);
console.log(stored.sort().join(' '));
