import { Semaphore, WorkerPool } from 'sluice';
import { argv } from 'node:process';
import { startSite } from './site.mjs';

const PER_SECOND = 100;
const site = argv[2] === undefined ? await startSite() : undefined;
const first = argv[2] ?? site?.url ?? '';

// A semaphore of tokens. A timer adds them, each request takes one, and unused ones do not pile up beyond ten.
const tokens = Semaphore.create(10, { max: 10, recovery: false, name: 'requests' });
const timer = setInterval(() => {
  if (tokens.available < 10) tokens.release();
}, 1000 / PER_SECOND);

/** @type {WorkerPool<string, string[]>} */
const pool = new WorkerPool({
  filename: new URL('./fetch-page.mjs', import.meta.url),
  size: 2,
  concurrentTasksPerWorker: 4, // tasks that await: eight requests at a time in all
  workerData: { tokens: tokens.handle },
});

/** @type {Set<string>} */
const seen = new Set();

/**
 * Reads a page, then all pages that it links to and that no other page has linked to before.
 * @param {string} url
 */
async function crawl(url) {
  if (seen.has(url)) return;
  seen.add(url);
  const links = await pool.run(url);
  await Promise.all(links.map(crawl));
}

await crawl(first);
console.log(`${seen.size} pages`);
clearInterval(timer);
await pool.close();
site?.close();
