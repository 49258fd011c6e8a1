import { expect, test } from 'vitest';
import { Arena, Semaphore } from '../src/index.ts';
import { EDGES, contextOfSemaphore, setTicket } from './support/semaphore-words.ts';
import { GRANT, TICKET } from '../src/kernel/layout.ts';
import { engineNamed } from './support/engines.ts';

for (const engine of ['wasm', 'js'] as const) {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets: 4 } });

  for (const [name, edge] of EDGES) {
    const place = `${engine}, counters across ${name}`;

    test(`${place}: permits are counted exactly when acquired and released`, () => {
      const sem = Semaphore.create(3, { arena });
      setTicket(sem, edge - 10n);
      for (let round = 0; round < 20; round++) {
        sem.acquire();
        expect(sem.available).toBe(2);
        expect(sem.tryAcquire(2)).toBe(true);
        expect(sem.tryAcquire()).toBe(false);
        sem.release(3);
        expect(sem.drain()).toBe(3);
        sem.release(3);
      }
      const { words } = contextOfSemaphore(sem);
      expect(words.load64(sem.handle.address + TICKET)).toBe(BigInt.asIntN(64, edge - 10n + 20n * 6n));
      expect(words.load64(sem.handle.address + GRANT)).toBe(BigInt.asIntN(64, edge - 10n + 20n * 6n + 3n));
    });

    test(`${place}: waiters on both sides are reported and served in their order`, async () => {
      const sem = Semaphore.create(0, { arena });
      setTicket(sem, edge - 6n);
      const served: number[] = [];
      const wanted = [2, 3, 1, 4, 1, 2];
      const waits = wanted.map(async (permits, index) => {
        await sem.acquireAsync(permits);
        served.push(index);
      });
      expect(sem.inspect().waiters.map(({ permits }) => permits)).toEqual(wanted);
      for (const [index, wait] of waits.entries()) {
        sem.release(wanted[index]);
        await wait;
      }
      expect(served).toEqual([0, 1, 2, 3, 4, 5]);
    });

    test(`${place}: cancelled waiters on both sides leave no trace`, async () => {
      const sem = Semaphore.create(0, { arena });
      setTicket(sem, edge - 4n);
      const controllers = [1, 2, 3, 4, 5].map(() => new AbortController());
      const waits = controllers.map(({ signal }, index) =>
        sem.acquireAsync(1 + (index % 3), { signal }).catch(() => undefined),
      );
      for (const index of [1, 3, 0, 4, 2]) controllers[index]?.abort();
      await Promise.all(waits);
      expect(sem.inspect()).toMatchObject({ available: 0, waiters: [], abandoned: 0 });
      sem.release(2);
      expect(sem.available).toBe(2);
    });
  }
}
