// A worker: it may block.
import { BoundedBuffer, CountdownLatch, Mutex, Region } from './sluice.js';

const RANGE = 20_000;
/** A worker that was stopped while it added has left the sums short by at most its range. */
const goOn = { onOwnerDied: (guard) => guard.markConsistent() };

onmessage = ({ data }) => {
  const ranges = BoundedBuffer.from(data.ranges);
  const mutex = Mutex.from(data.mutex);
  const results = Region.from(data.results).int32;
  const running = CountdownLatch.from(data.running);
  running.claim(); // if this worker is stopped, its part is counted down for it
  postMessage('claimed');
  for (const from of ranges) {
    const primes = countPrimes(from, from + RANGE);
    mutex.run(() => {
      results[0] += primes;
      results[1] += 1;
    }, goOn);
  }
  running.done();
};

function countPrimes(from, to) {
  let count = 0;
  for (let n = Math.max(2, from); n < to; n++) if (isPrime(n)) count += 1;
  return count;
}

function isPrime(n) {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false;
  return true;
}
