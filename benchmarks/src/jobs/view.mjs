// @ts-check
// What a view costs the program that it shows, in blocks that alternate: a page asks for frames, and none does. One
// worker per core passes through mutexes.
import { Arena, Semaphore } from '@sluice/core';
import { startView } from '@sluice/inspect/view';
import { Mutex } from '@sluice/mutex';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { main } from '../lib/jobs.mjs';
import { median } from '../lib/statistics.mjs';

/**
 * @typedef {object} ViewSpecification
 * @property {number} blocks
 * @property {number} blockMillis
 * @property {'view' | 'fixed text'} server
 * @property {number} waits async waits of the main thread, beside the workers
 */

/**
 * @typedef {object} ViewResult
 * @property {number} over passes per second while a page asks, over those without, the median of neighbouring blocks
 * @property {number} perSecond passes without a page
 * @property {number} frames per second
 */

const LOCKS = 20;

/** @param {string} name */
const fileOf = (name) => fileURLToPath(new URL(`../workers/${name}.mjs`, import.meta.url));

/** Resolves with the URL of a thread that answers with the same text. */
async function startFixed() {
  const [url] = /** @type {[string]} */ (await once(new Worker(fileOf('fixed-page')), 'message'));
  return url;
}

await main(
  /** @param {ViewSpecification} specification @returns {Promise<ViewResult>} */
  async ({ blocks, blockMillis, waits, server }) => {
    const arena = Arena.create({ maxPages: 256 });
    const locks = Array.from({ length: LOCKS }, (_, n) => Mutex.create({ arena, name: `lock ${n}` }).handle);
    const line = Semaphore.create(0, { arena, name: 'line' });
    for (let wait = 0; wait < waits; wait++) void line.acquireAsync();
    const workers = availableParallelism();
    const passes = new Int32Array(new SharedArrayBuffer(4 * workers));
    for (let index = 0; index < workers; index++) {
      new Worker(fileOf('viewed'), { workerData: { locks, passes, index } });
    }
    const page = fork(fileOf('page'), [server === 'view' ? startView(arena).url : await startFixed()]);
    await once(page, 'message');
    const total = () => passes.reduce((sum, each) => sum + each, 0);
    const measure = async () => {
      const [before, began] = [total(), performance.now()];
      await sleep(blockMillis);
      return (1000 * (total() - before)) / (performance.now() - began);
    };
    const withPage = async () => {
      page.send('ask');
      const rate = await measure();
      page.send('stop');
      const [frames] = /** @type {[number]} */ (await once(page, 'message'));
      return { rate, frames: (1000 * frames) / blockMillis };
    };
    // Compiles both sides.
    await withPage();
    await withPage();
    /** @type {{ over: number, frames: number, rate: number }[]} */
    const results = [];
    for (let block = 0; block < blocks; block++) {
      // Which one comes first alternates, too: a machine that slows down hits both.
      const isFirst = block % 2 === 0;
      const before = isFirst ? await withPage() : undefined;
      const rate = await measure();
      const asked = before ?? (await withPage());
      results.push({ over: asked.rate / rate, frames: asked.frames, rate });
    }
    page.disconnect();
    return {
      over: median(results.map(({ over }) => over)),
      perSecond: median(results.map(({ rate }) => rate)),
      frames: median(results.map(({ frames }) => frames)),
    };
  },
);
