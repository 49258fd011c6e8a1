import { lockSuite, semaphoreSuite } from '@sluice/conformance';
import { Arena, Semaphore, type SemaphoreOptions } from '../src/index.ts';
import { EDGES, setTicket } from './support/inside.ts';

const VARIANTS: readonly (readonly [name: string, options: SemaphoreOptions])[] = [
  ['unbounded', {}],
  ['bounded', { max: 100 }],
  ['bounded, without recovery', { max: 100, recovery: false }],
  ['unbounded, without recovery', { recovery: false }],
  ['never spinning', { policy: { spinMicros: 0 } }],
];

for (const engine of ['wasm', 'js'] as const) {
  // Few buckets, so that chains hold several waiters and waiters of several semaphores.
  for (const buckets of [1, 256]) {
    const arena = Arena.create({ engine, maxPages: 64, policy: { buckets } });
    const place = `Semaphore (${engine}, ${buckets} bucket(s)`;

    for (const [variant, options] of VARIANTS) {
      const create = (permits: number): Semaphore => Semaphore.create(permits, { ...options, arena });
      semaphoreSuite(`${place}, ${variant})`, create);
      lockSuite(`${place}, ${variant}).asLock(1)`, () => create(1).asLock());
      lockSuite(`${place}, ${variant}).asLock(3)`, () => create(3).asLock(3));
    }

    for (const [edge, value] of EDGES) {
      semaphoreSuite(`${place}, its counters just below ${edge})`, (permits) => {
        const sem = Semaphore.create(permits, { arena });
        setTicket(sem, value - 4n);
        return sem;
      });
    }
  }
}
