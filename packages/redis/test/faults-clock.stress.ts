// Tests a server whose clock is set, and the data that is left on it when all sessions have died.

import { byDepth, Random } from '@sluice/harness';
import { ask, findProgram, noClock, serverClock, startServer, type Server } from '@sluice/redis-server';
import { writeSync } from 'node:fs';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Space } from '@sluice/redis';
import { end, start } from './support/children.ts';
import { faultSize, seen } from '../../remote/test/faults/seen.ts';
import { until } from './support/server.ts';

const LEASE = 3000;
const JUMPS = faultSize(byDepth({ quick: 2, ci: 4, full: 8 }), 100);
const HOUR = 3600;
const DAY = 24 * HOUR;
const SOURCES = 3;
const TIME_MS = 120_000 + JUMPS * 3 * LEASE;

const why = findProgram().kind === 'none' ? 'no Redis server' : noClock();

describe.skipIf(why !== undefined)('a server whose clock jumps', () => {
  const here = {} as { server: Server; clock: ReturnType<typeof serverClock> };
  let ahead = 0;
  const jump = (seconds: number): void => here.clock.set((ahead += seconds));
  const open = (namespace: string): Promise<Space> =>
    connect(createClient({ url: here.server.url, socket: { reconnectStrategy: 50 } }), {
      namespace,
      lease: LEASE,
      onWarning: () => undefined,
    });

  beforeAll(async () => {
    here.clock = serverClock();
    here.server = await startServer({ env: here.clock.env });
  });
  afterAll(async () => {
    await here.server.stop();
    here.clock.remove();
  });

  test(`after ${JUMPS} jumps by hours, no lease ends and no permit is granted twice`, {
    timeout: TIME_MS,
  }, async () => {
    const random = new Random(1);
    const spaces = await Promise.all(Array.from({ length: SOURCES }, () => open('jumps')));
    // One semaphore is held all the time, and the other is handed over all the time.
    const kept = await (spaces[0] as Space).mutex('kept').holdAsync();
    const state = { inside: 0, over: false, passes: 0, token: 0n };
    const wrong: string[] = [];
    const passing = Promise.all(
      spaces.map(async (space) => {
        while (!state.over) {
          const guard = await space.mutex('m').holdAsync();
          if (++state.inside > 1) wrong.push('two callers hold the mutex');
          if (guard.fencingToken <= state.token) wrong.push(`token ${guard.fencingToken} after ${state.token}`);
          state.token = guard.fencingToken;
          state.passes++;
          await new Promise((resolve) => setTimeout(resolve, 2));
          state.inside--;
          await guard.release();
        }
      }),
    );
    passing.catch((failure: unknown) => wrong.push(String(failure)));
    const other = await open('jumps');
    for (let i = 0; i < JUMPS && wrong.length === 0; i++) {
      jump(random.pick([HOUR, -2 * HOUR, 2 * HOUR]));
      if ((await other.mutex('kept').tryHold()) !== null) wrong.push('the held permit was granted');
      // A second jump within a lease would use up the margin: see the README.
      const next = performance.now() + 1.1 * LEASE;
      const { passes } = state;
      await until(
        'hand-overs continue',
        () => wrong.length > 0 || (state.passes > passes && performance.now() > next),
        60_000,
      );
    }
    state.over = true;
    await passing;
    expect(wrong).toEqual([]);
    expect(kept.held).toBe(true);
    seen(
      'A server clock that jumps by hours',
      `${JUMPS} jumps among ${state.passes} hand-overs: 0 double grants, 0 leases lost`,
      { text: 'none in 100 jumps', isMet: JUMPS >= 100 },
    );
    await Promise.all([...spaces, other].map((space) => space.close()));
  });

  test('at a rate limiter, a jump by hours adds at most the permits of half a lease, and its waiters are served', {
    timeout: TIME_MS,
  }, async () => {
    const space = await open('rates');
    const limiter = space.rateLimiter('api', { permits: 10, interval: 1000, burst: 200 });
    const other = await open('rates');
    await limiter.acquireAsync(200);
    let since = performance.now();
    for (const by of [HOUR, -2 * HOUR, 2 * HOUR]) {
      jump(by);
      const available = await other.rateLimiter('api', { permits: 10, interval: 1000, burst: 200 }).available;
      const most = (performance.now() - since + LEASE / 2) / 100;
      expect(available).toBeLessThanOrEqual(Math.ceil(most));
      // The next permit comes on time, whatever the clock shows.
      await limiter.acquireAsync(available + 1);
      since = performance.now();
      await until('the lease was renewed', () => performance.now() > since + 1.1 * LEASE, 60_000);
      await limiter.acquireAsync(5);
      while (await limiter.tryAcquire()) since = performance.now();
    }
    seen(
      'A server clock that jumps, at a rate limiter',
      '3 jumps: at most the permits of half a lease more, and its waiters were served',
    );
    await Promise.all([space.close(), other.close()]);
  });

  test('after all sessions have closed, one key is left, and after a week none', { timeout: TIME_MS }, async () => {
    await ask(here.server.port, 'FLUSHALL');
    const space = await open('closes');
    await space.semaphore('s', 3).acquireAsync(2);
    const waiting = space
      .semaphore('s', 3)
      .acquireAsync(2)
      .catch(() => undefined);
    await until('it waits', async () => (await space.semaphore('s', 3).waiting) === 1);
    await space.close();
    await waiting;
    expect(await ask(here.server.port, 'DBSIZE')).toBe(1);
    jump(8 * DAY);
    await until('no key is left', async () => (await ask(here.server.port, 'DBSIZE')) === 0);
  });

  test('after all sessions have died, no key is left after a week', { timeout: TIME_MS }, async () => {
    await ask(here.server.port, 'FLUSHALL');
    const children = [1, 2].map(() => start('storm', here.server.url, 'dies', String(LEASE), '5', '5'));
    await until('the sessions hold and wait', () => children.every(({ lines }) => lines.length > 3));
    await Promise.all(children.map(end));
    const left = Number(await ask(here.server.port, 'DBSIZE'));
    expect(left).toBeGreaterThan(5);
    // The key of the fence belongs to the program.
    expect(await ask(here.server.port, 'DEL', '{dies}resource')).toBe(1);
    jump(8 * DAY);
    await until('no key is left', async () => (await ask(here.server.port, 'DBSIZE')) === 0);
    seen('All sessions of a namespace die', `${left - 1} keys were left, and none after a week`);
  });
});

test.runIf(why !== undefined)('the skipped tests are reported if the clock cannot be set', () => {
  writeSync(2, `\n*** 4 tests of "a server whose clock jumps" were SKIPPED: ${why} ***\n`);
});
