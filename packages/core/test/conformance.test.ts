import { oneIn } from '@sluice/harness';
import { lockSuite, semaphoreSuite } from '@sluice/conformance';
import { Arena, Semaphore, type Engine, type SemaphoreOptions } from '../src/index.ts';
import { EDGES, setTicket } from './support/semaphore-words.ts';
import { engineNamed } from './support/engines.ts';

const VARIANTS: readonly (readonly [name: string, options: SemaphoreOptions])[] = [
  ['unbounded', {}],
  ['bounded', { max: 100 }],
  ['bounded, without recovery', { max: 100, recovery: false }],
  ['unbounded, without recovery', { recovery: false }],
  ['never spinning', { policy: { spinMicros: 0 } }],
];

/** With one bucket every chain holds the waiters of all semaphores of the arena. */
const PLACES: readonly (readonly [engine: Engine, buckets: number, variants: typeof VARIANTS])[] = [
  ['wasm', 256, VARIANTS],
  ['wasm', 1, VARIANTS.slice(0, 2)],
  ['js', 256, VARIANTS.slice(0, 1)],
  ['js', 1, oneIn(2, VARIANTS)],
];

for (const [engine, buckets, variants] of PLACES) {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  for (const [variant, options] of variants) {
    const name = `Semaphore (${variant}, ${engine}, buckets: ${buckets})`;
    const create = (permits: number): Semaphore => Semaphore.create(permits, { ...options, arena });
    semaphoreSuite(name, create);
    lockSuite(`${name}.asLock(1)`, () => create(1).asLock());
    lockSuite(`${name}.asLock(3)`, () => create(3).asLock(3));
  }
}

for (const engine of ['wasm', 'js'] as const) {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets: 4 } });
  for (const [edge, value] of EDGES) {
    semaphoreSuite(`Semaphore (${engine}, counters beginning just below ${edge})`, (permits) => {
      const sem = Semaphore.create(permits, { arena });
      setTicket(sem, value - 4n);
      return sem;
    });
  }
}
