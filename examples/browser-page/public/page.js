// The page: it never blocks. It puts ranges into a buffer, shows how far the workers are, and watches them.
import { Arena, BoundedBuffer, CountdownLatch, Mutex, Region } from './sluice.js';

const MOST = 2_000_000;
const RANGE = 20_000;

const [bar, button, output] = ['progress', 'button', 'output'].map((name) => document.querySelector(name));
const say = (text) => (output.textContent += `${text}\n`);

const ranges = BoundedBuffer.create({ codec: 'int32', capacity: 8, name: 'ranges' });
const mutex = Mutex.create({ name: 'results' });
const results = Region.create(8); // primes found, ranges done
const running = CountdownLatch.create(4, { name: 'workers' });

const workers = [1, 2, 3, 4].map(() => {
  const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  worker.postMessage({ ranges: ranges.handle, mutex: mutex.handle, results: results.handle, running: running.handle });
  Arena.default().watch(worker, {
    onReclaim: ({ agent }) => say(`Worker ${agent} was stopped. What it held came back.`),
  });
  return worker;
});

// A worker that is stopped before it has claimed its part of the latch would leave that part to be counted.
const claimed = workers.map(
  (worker) => new Promise((resolve) => worker.addEventListener('message', resolve, { once: true })),
);
void Promise.all(claimed).then(() => {
  say('4 workers run.');
  button.disabled = false;
});

button.addEventListener('click', () => {
  workers.pop()?.terminate();
  button.disabled = workers.length <= 1;
});

for (let from = 0; from < MOST; from += RANGE) {
  await ranges.pushAsync(from); // waits while the buffer is full
  bar.value = results.int32[1] / (MOST / RANGE);
}
ranges.close();
await running.waitAsync();
bar.value = 1;
const [primes, done] = results.int32;
say(`${primes} primes in ${done} of ${MOST / RANGE} ranges`);
