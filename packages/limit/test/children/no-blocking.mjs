// @ts-check
// The platform refuses to block from the start, as browsers do on their main thread.
Atomics.wait = () => {
  throw new TypeError('Atomics.wait cannot be called in this context');
};
const { createLimit, limitFunction } = await import('@sluice/limit');
const limit = createLimit(2);
let [running, most] = [0, 0];
const work = async (/** @type {number} */ n) => {
  most = Math.max(most, ++running);
  await new Promise((resolve) => setTimeout(resolve, 1));
  running -= 1;
  return n;
};
const results = await limit.map([1, 2, 3, 4, 5], work);
limit.concurrency = 3;
results.push(await createLimit.from(limit.handle).run(work, { args: [6], timeout: 1000 }));
results.push(...(await Promise.all([7, 8, 9].map(limitFunction(work, limit)))));
const { activeCount, pendingCount } = limit.inspect();
const late = await limit.run(() => limit.run(() => 1, { timeout: 1 }));
limit.close();
limit.free();
process.stdout.write(`${results.join(' ')}, at most ${most}; ${activeCount} run, ${pendingCount} wait; ${late}`);
