// @ts-check
// Gets, sets and removes values of one cache until it is killed, and takes slots of a keyed limit and permits of a
// keyed rate limiter. Each value tells what it must look like, so a torn one shows.
import { connect } from '@sluice/local';
import process, { argv, stdout } from 'node:process';

const [, , namespace = '', lease = ''] = argv;
const space = await connect({ namespace, lease: Number(lease) });
/** @typedef {{ readonly key: string, readonly fill: string, readonly text: string }} Value */
const cache = /** @type {import('@sluice/local').RemoteCache<Value>} */ (space.cache('values', { ttl: 600_000 }));
const limit = space.keyedLimit('tenants', { concurrency: 1, total: 2 });
const rates = space.keyedRateLimiter('rates', { permits: 1000, interval: 1 });
let made = 0;
let entered = 0;

/** @param {string} key @returns {Value} */
function make(key) {
  const fill = String.fromCharCode(97 + (made++ % 26));
  return { key, fill, text: fill.repeat(5000) };
}

/** @param {string} key @param {Value | undefined} value */
function check(key, value) {
  if (value !== undefined && (value.key !== key || value.text !== value.fill.repeat(5000)))
    stdout.write(`WRONG: a torn value of ${key}\n`);
}

/** @param {number} task */
async function work(task) {
  for (let turn = 0; ; turn++) {
    const key = `key ${(task + turn) % 3}`;
    check(
      key,
      await cache.getAsync(key, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return make(key);
      }),
    );
    if (turn % 4 === task) await cache.set(key, make(key));
    if (turn % 5 === task) await cache.delete(key);
    if (turn % 17 === task) await cache.clear();
    await limit.runAsync(key, () => new Promise((resolve) => setImmediate(resolve)));
    await rates.consume(key);
    stdout.write(`entered ${++entered}\n`);
  }
}

for (const task of [0, 1, 2]) {
  work(task).catch((/** @type {unknown} */ failure) => {
    stdout.write(`WRONG: ${String(failure)}\n`);
    process.exit(1);
  });
}
stdout.write('ready\n');
