// Tests a server that refuses every write because it cannot save or has too few replicas. Calls that change nothing
// work, and other calls fail with the server's error. When it accepts writes again, no data of calls that were
// cancelled meanwhile is left.

import type { Space } from '@sluice/redis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { seen } from '../../remote/test/faults/seen.ts';
import { failureOf, onServer, until, type Ground } from './support/server.ts';

const LEASE = 10_000;

interface Refusal {
  readonly begin: (here: Ground) => Promise<void>;
  readonly end: (here: Ground) => Promise<void>;
}

const REPLICAS: Refusal = {
  begin: async ({ command }) => {
    await command('CONFIG', 'SET', 'min-replicas-to-write', '1');
  },
  end: async ({ command }) => {
    await command('CONFIG', 'SET', 'min-replicas-to-write', '0');
  },
};

const field = async ({ command }: Ground, name: string): Promise<string | undefined> =>
  new RegExp(`^${name}:(\\w+)`, 'm').exec(String(await command('INFO', 'persistence')))?.[1];

/** A save into a missing folder fails. */
const SAVING: Refusal = {
  begin: async (here) => {
    const { command } = here;
    const folder = mkdtempSync(join(tmpdir(), 'sluice-gone-'));
    await command('CONFIG', 'SET', 'dir', folder);
    rmSync(folder, { recursive: true });
    await command('BGSAVE');
    await until('the save has ended', async () => (await field(here, 'rdb_bgsave_in_progress')) === '0');
    expect(await field(here, 'rdb_last_bgsave_status')).toBe('err');
    // Without a schedule for saving it would not refuse writes.
    await command('CONFIG', 'SET', 'save', '3600 1000000');
  },
  end: async ({ command }) => {
    await command('CONFIG', 'SET', 'save', '');
    await command('CONFIG', 'SET', 'dir', tmpdir());
  },
};

async function whileRefused<T>(here: Ground, refusal: Refusal, body: () => Promise<T>): Promise<T> {
  await refusal.begin(here);
  try {
    return await body();
  } finally {
    await refusal.end(here);
  }
}

/** Each entry prepares something, and returns a call that changes nothing. */
const LOOKS: Readonly<Record<string, (space: Space, other: Space) => Promise<() => Promise<unknown>>>> = {
  'inspect() of a mutex': async (space) => {
    await space.mutex('m').lockAsync();
    return async () => expect((await space.mutex('m').inspect()).holders.length).toBe(1);
  },
  'inspect() of a primitive that no session has used': (space) =>
    Promise.resolve(async () => expect((await space.semaphore('new', 3).inspect()).available).toBe(3)),
  'inspect() of a keyed mutex': async (space) => {
    await space.keyedMutex('k').lockAsync('a');
    return async () => expect((await space.keyedMutex('k').inspect()).keys.length).toBe(1);
  },
  'inspect() of a rate limiter': async (space) => {
    const rate = space.rateLimiter('r', { permits: 1, interval: 1_000_000 });
    await rate.acquireAsync();
    return async () => expect(await rate.inspect()).toMatchObject({ available: 0 });
  },
  'inspect() of a latch': async (space) => {
    await space.countdownLatch('d', 1).add();
    return async () => expect((await space.countdownLatch('d', 1).inspect()).count).toBe(2);
  },
  'inspect() of a barrier': async (space) => {
    await space.barrier('b', 2).register();
    return async () => expect((await space.barrier('b', 2).inspect()).parties).toBe(3);
  },
  'tryLock() of a mutex that another session holds': async (space, other) => {
    const guard = await other.mutex('m').holdAsync();
    await guard.release();
    await space.mutex('m').lockAsync();
    expect(await other.mutex('m').tryLock()).toBe(false);
    return async () => expect(await other.mutex('m').tryLock()).toBe(false);
  },
  'tryRun() while another initialiser runs': async (space, other) => {
    void space
      .once('o')
      .runAsync(() => new Promise(() => undefined))
      .catch(() => undefined);
    await until('it runs', async () => (await space.once('o').inspect()).state === 'running');
    expect(await other.once('o').tryRun(() => undefined)).toBe(false);
    return async () => expect(await other.once('o').tryRun(() => undefined)).toBe(false);
  },
  'isDone of a once': async (space, other) => {
    await other.once('o').tryWait();
    await space.once('o').runAsync(() => undefined);
    return async () => {
      expect(await other.once('o').isDone).toBe(true);
      expect(await other.once('o').tryWait()).toBe(true);
    };
  },
};

onServer(
  'a server that cannot save',
  (it) => {
    for (const [name, prepare] of Object.entries(LOOKS)) {
      it(`answers ${name}`, async (here) => {
        const look = await prepare(await here.open({ lease: LEASE }), await here.open({ lease: LEASE }));
        await whileRefused(here, SAVING, look);
      });
    }

    it('refuses other calls with its own error, and later gets the permits that were released meanwhile', async (here) => {
      const [space, other] = [await here.open({ lease: 3000 }), await here.open({ lease: 3000 })];
      const guard = await space.mutex('m').holdAsync();
      const leave = new AbortController();
      await space.mutex('n').lockAsync();
      const left = failureOf(other.mutex('n').lockAsync({ signal: leave.signal }));
      await until('it waits', async () => (await space.mutex('n').inspect()).waiters.length === 1);
      const calls: readonly (() => Promise<unknown>)[] = [
        () => guard.release(),
        () => other.mutex('new').tryLock(),
        () => space.countdownLatch('d', 1).done(),
        () => here.open(),
      ];
      const failures = await whileRefused(here, SAVING, async () => {
        leave.abort(new Error('gave up'));
        expect((await left).message).toBe('gave up');
        return Promise.all(calls.map((call) => failureOf(call())));
      });
      for (const failure of failures) {
        expect(failure).toMatchObject({ name: 'RedisError', code: 'SLUICE_REDIS' });
        expect(failure.message).toMatch(
          /^The Redis server cannot save, and refused a call that writes\. Nothing was changed\. The server says: MISCONF /,
        );
      }
      await (await other.mutex('m').holdAsync()).release();
      await until('the waiter has left', async () => (await space.mutex('n').inspect()).waiters.length === 0);
      seen(
        'A server that refuses every write',
        'it could not save: a release was refused, and its permit returned later',
      );
    });
  },
  { own: true, args: ['--save', '', '--appendonly', 'no', '--enable-protected-configs', 'yes'] },
);

onServer(
  'a server with too few replicas',
  (it) => {
    for (const [name, prepare] of Object.entries(LOOKS)) {
      it(`answers ${name}`, async (here) => {
        const look = await prepare(await here.open({ lease: LEASE }), await here.open({ lease: LEASE }));
        await whileRefused(here, REPLICAS, look);
      });
    }

    it('accepts a release when it has enough replicas', async (here) => {
      const [space, other] = [await here.open({ lease: LEASE }), await here.open({ lease: LEASE })];
      const guard = await space.mutex('m').holdAsync();
      const released = await whileRefused(here, REPLICAS, async () => {
        const release = guard.release();
        expect((await space.mutex('m').inspect()).holders.length).toBe(1);
        return { release };
      });
      await released.release;
      await (await other.mutex('m').holdAsync()).release();
    });

    it('is named by the error of a lease that it did not renew', async (here) => {
      const space = await here.open({ lease: 3000 });
      const guard = await space.mutex('m').holdAsync();
      await whileRefused(here, REPLICAS, async () => {
        await until('the lease is lost', () => guard.signal.aborted);
        expect((guard.signal.reason as Error).message).toMatch(
          /^The session: the lease was not renewed in time \(the last call failed: NOREPLICAS /,
        );
        expect((await failureOf(space.mutex('m').lockAsync())).message).toMatch(/NOREPLICAS/);
      });
    });
  },
  { own: true },
);
