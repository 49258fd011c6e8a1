// Tests many processes that are killed at random moments.

import { byDepth, soakSize } from '@sluice/harness';
import { expect } from 'vitest';
import { end, start, type Child } from './support/children.ts';
import { faultSize, seen } from '../../remote/test/faults/seen.ts';
import { onServer, until } from './support/server.ts';

const PERMITS = 5;
const LEASE = 1500;
/** The lease of the observer, in ms. A busy machine may keep it from renewing a short lease. */
const LONG = 10_000;
const PROCESSES = 4;
/** The number of simultaneous waits of each process. */
const WAITS = 40;
const KILLS = faultSize(byDepth({ quick: 2, ci: 6, full: soakSize(12, 120) }), 30);
const ALL_WAITS = faultSize(1000, 10_000);

/** The last line of a process: `passes N, waits N`. */
function counts({ lines }: Child): readonly number[] {
  return (
    lines
      .findLast((line) => line.startsWith('passes'))
      ?.match(/\d+/g)
      ?.map(Number) ?? [0, 0]
  );
}

onServer(
  'a storm of kill -9',
  (it) => {
    it(
      'processes that are killed at random moments lose no permit, and the fence never refuses a live holder',
      async ({ url, namespace, open, command }) => {
        const space = await open({ lease: LONG });
        const semaphore = space.semaphore('s', PERMITS);
        const runStorm = (): Child => start('storm', url, namespace, String(LEASE), String(PERMITS), String(WAITS));
        const running = Array.from({ length: PROCESSES }, runStorm);
        const ended: Child[] = [];
        const wrong: string[] = [];
        const total = (at: 0 | 1): number =>
          [...ended, ...running].reduce((sum, child) => sum + (counts(child)[at] ?? 0), 0);
        // The time limit of the test ends a storm whose processes no longer start.
        while (ended.length < KILLS || total(1) < ALL_WAITS) {
          await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
          const report = await semaphore.inspect();
          const held = report.holders.reduce((sum, holder) => sum + holder.permits, 0);
          if (held + report.available !== PERMITS)
            wrong.push(`${held} held and ${report.available} free of ${PERMITS}`);
          const at = Math.floor(Math.random() * running.length);
          const victim = running[at];
          if (victim === undefined || victim.lines.length === 0) continue;
          await end(victim);
          ended.push(victim);
          running[at] = runStorm();
        }
        await Promise.all(running.map(end));
        wrong.push(...[...ended, ...running].flatMap(({ lines }) => lines.filter((line) => line.startsWith('WRONG'))));
        expect(wrong).toEqual([]);
        const all = await semaphore.holdAsync(PERMITS, { timeout: 60_000 });
        const lock = await space.mutex('m').holdAsync({ timeout: 60_000 });
        expect((await semaphore.inspect()).waiters).toEqual([]);
        await Promise.all([all.release(), lock.release()]);
        await until(
          'the dead sessions are gone',
          async () => Number(await command('ZCARD', `sl:{${namespace}}:S`)) === 1,
        );
        await space.close();
        expect(await command('KEYS', `sl:{${namespace}}*`)).toEqual([`sl:{${namespace}}:T`]);
        seen(
          'Processes killed at random moments',
          `${ended.length} kills among ${total(1)} waits with random timeouts and weights: 0 permits lost, line empty`,
          { text: 'none lost in 10,000 waits', isMet: total(1) >= 10_000 },
        );
      },
      240_000 * (process.env['SLUICE_SOAK'] === undefined ? 1 : 4) * faultSize(1, 3),
    );

    it('a thousand simultaneous waits with random timeouts and weights lose no permit', async ({ open }) => {
      // A busy machine may keep this process from renewing a short lease.
      const lease = 10_000;
      const spaces = [await open({ lease }), await open({ lease }), await open({ lease })];
      const semaphores = spaces.map((space) => space.semaphore('s', 4));
      let served = 0;
      await Promise.all(
        Array.from({ length: 1000 }, async (_, i) => {
          const semaphore = semaphores[i % 3] as (typeof semaphores)[0];
          const guard = await semaphore.tryHold(1 + (i % 3), 100 + Math.random() * 3000);
          if (guard === null) return;
          served++;
          await guard.release();
        }),
      );
      console.log(`1000 waits, ${served} served`);
      await until('all permits are free', async () => (await semaphores[0]?.available) === 4);
      expect((await semaphores[0]?.inspect())?.waiters).toEqual([]);
    });
  },
  { own: true },
);
