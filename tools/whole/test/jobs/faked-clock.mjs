// On a platform without `process.hrtime`, a program replaces the method `performance.now` after the import. Then it
// runs a loop of async calls that never wait, until a timer ends it.
import process from 'node:process';

Reflect.set(process, 'hrtime', undefined);
const { Semaphore } = await import('@sluice/core');
performance.now = () => 0;

const MAX_CALLS = 20_000_000;
const semaphore = Semaphore.create(1);
const timer = { hasFired: false };
setTimeout(() => (timer.hasFired = true), 1);
for (let calls = 0; !timer.hasFired && calls < MAX_CALLS; calls++) {
  await semaphore.acquireAsync();
  semaphore.release();
}
process.stdout.write(timer.hasFired ? 'the timer fired' : 'the timer did not fire');
process.exit();
