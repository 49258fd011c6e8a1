import { createLimit } from 'sluice';
import { setTimeout as sleep } from 'node:timers/promises';

const limit = createLimit(2);
let open = 0;
let most = 0;

/** @param {number} page */
async function download(page) {
  open += 1;
  most = Math.max(most, open);
  await sleep(5);
  open -= 1;
  return `page ${page}`;
}

const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => limit(download, page)));
console.log(pages.join(', '));
console.log(`at most ${most} at a time, ${limit.activeCount} active, ${limit.pendingCount} pending`);
