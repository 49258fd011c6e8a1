import { createLimit } from 'sluice';
import { setTimeout as sleep } from 'node:timers/promises';

const limit = createLimit(2);
const cancel = new AbortController();
/** @type {string[]} */
const order = [];

/** @param {string} page */
async function download(page) {
  order.push(page);
  await sleep(5);
  return `page ${page}`;
}

const pages = [limit(download, 'a'), limit(download, 'b')];
pages.push(limit.run(download, { args: ['late'] }), limit.run(download, { args: ['early'], priority: 1 }));
cancel.abort();
const never = limit.run(download, { args: ['never'], signal: cancel.signal }).catch(() => 'given up');

console.log((await Promise.all(pages)).join(', '));
console.log(await never, order.join(' '));
console.log(`${limit.activeCount} running, ${limit.pendingCount} waiting`);
