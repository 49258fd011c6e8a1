/**
 * How many primes there are below a number.
 * @param {number} below
 * @param {import('sluice').TaskContext} context
 */
export default function countPrimes(below, context) {
  let count = 0;
  for (let n = 2; n < below; n++) {
    if (n % 1024 === 0 && context.aborted) return count; // the client has gone, or its time is up
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor > 0) divisor += 1;
    if (divisor * divisor > n) count += 1;
  }
  return count;
}
