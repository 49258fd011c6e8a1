/** @param {number} below */
export default function countPrimes(below) {
  let count = 0;
  for (let n = 2; n < below; n++) {
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor > 0) divisor += 1;
    if (divisor * divisor > n) count += 1;
  }
  return count;
}

/** @param {Uint8Array} bytes */
export function checksum(bytes) {
  return bytes.reduce((sum, byte) => (sum + byte) % 65_521, 0);
}

export function forever() {
  for (;;);
}
