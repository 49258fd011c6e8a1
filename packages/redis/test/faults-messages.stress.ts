// Tests kills of the connection for messages at the moment of a grant.

import { byDepth } from '@sluice/harness';
import { expect } from 'vitest';
import { faultSize, quantile, seen } from '../../remote/test/faults/seen.ts';
import { onServer, until } from './support/server.ts';

const LEASE = 5000;
const LOCKS = 10;
const ROUNDS = faultSize(byDepth({ quick: 2, ci: 5, full: 10 }), 100);

onServer(
  'the connection for messages',
  (it) => {
    it('is killed at the grant, and every waiter is still served', async ({ open, command }) => {
      const [a, b] = [await open({ lease: LEASE }), await open({ lease: LEASE })];
      const names = Array.from({ length: LOCKS }, (_, i) => `m${i}`);
      const took: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // Alternate, so that the session that was just cut off also releases.
        const [holder, waiter] = round % 2 === 0 ? [a, b] : [b, a];
        const guards = await Promise.all(names.map((name) => holder.mutex(name).holdAsync()));
        const waits = names.map((name) => waiter.mutex(name).holdAsync());
        await until('all wait', async () => (await holder.mutex(names.at(-1) ?? '').inspect()).waiters.length === 1);
        const began = performance.now();
        const after = waits.map(async (wait) => {
          const guard = await wait;
          took.push(performance.now() - began);
          await guard.release();
        });
        const release = (): Promise<void[]> => Promise.all(guards.map((guard) => guard.release()));
        const kill = (): Promise<unknown> => command('CLIENT', 'KILL', 'TYPE', 'pubsub');
        // Kill before the grants, and between the sending and the arrival of their messages.
        await Promise.all(round % 4 < 2 ? [kill(), release()] : [release(), kill()]);
        await Promise.all(after);
      }
      const sorted = took.toSorted((x, y) => x - y);
      expect(sorted).toHaveLength(ROUNDS * LOCKS);
      const [median, late] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
      const what = `at the grant, ${sorted.length} times: 0 stuck, median ${median.toFixed(0)} ms, p99 ${late.toFixed(0)} ms, lease ${LEASE} ms`;
      seen('Connections of subscribers or of commands killed', what, {
        text: 'p99 at most a third of the lease',
        isMet: late <= LEASE / 3,
      });
    }, 240_000);
  },
  { own: true },
);
