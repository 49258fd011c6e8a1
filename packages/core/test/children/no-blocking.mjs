// @ts-check
// The platform refuses to block from the start, as browsers do on their main thread.
Atomics.wait = () => {
  throw new TypeError('Atomics.wait cannot be called in this context');
};
const { Semaphore } = await import('@sluice/core');
const sem = Semaphore.create(0);
try {
  sem.acquire();
} catch (error) {
  const { name, message } = /** @type {Error} */ (error);
  process.stdout.write(`${name}: ${message}\n`);
}
const wait = sem.acquireAsync();
sem.release();
await wait;
process.stdout.write(`${sem.available} free, ${sem.waiting} waiting`);
