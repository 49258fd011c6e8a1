/** @param {number} below */
export function countPrimes(below) {
  let count = 0;
  for (let n = 2; n < below; n++) {
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor > 0) divisor += 1;
    if (divisor * divisor > n) count += 1;
  }
  return count;
}

export function forever() {
  for (;;);
}

/** @param {{ of: number, by: number }} task */
export function divide({ of, by }) {
  if (by === 0) throw new Error('no division by 0');
  return of / by;
}
