import Bottleneck from 'bottleneck';

const limiter = new Bottleneck({ maxConcurrent: 2 });
const cancel = new AbortController();
/** @type {string[]} */
const order = [];

let queued = 0;

/** Bottleneck needs turns of the event loop to queue five jobs. @type {Promise<void>} */
const allQueued = new Promise((resolve) => {
  limiter.on('queued', () => {
    if (++queued === 5) resolve();
  });
});

/** @param {string} page */
async function download(page) {
  order.push(page);
  await allQueued;
  return `page ${page}`;
}

const pages = [limiter.schedule(download, 'a'), limiter.schedule(download, 'b')];
pages.push(limiter.schedule({ priority: 9 }, download, 'late'), limiter.schedule({ priority: 1 }, download, 'early'));
cancel.abort();
const never = limiter
  .schedule(() => (cancel.signal.aborted ? Promise.reject(new Error('aborted')) : download('never')))
  .catch(() => 'given up');

console.log((await Promise.all(pages)).join(', '));
console.log(await never, order.join(' '));
const { EXECUTING, QUEUED } = limiter.counts();
console.log(`${EXECUTING} running, ${QUEUED} waiting`);
