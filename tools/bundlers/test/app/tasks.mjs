import { Mutex } from '@sluice/mutex';

/** @param {{ n: number, mutex: import('@sluice/mutex').MutexHandle, sums: Int32Array }} task */
export default function square({ n, mutex, sums }) {
  Mutex.from(mutex).run(() => (sums[0] = (sums[0] ?? 0) + n));
  return n * n;
}
