// Kills processes, servers and poolers while processes take and give back. After each kill all living processes go on,
// no lock has two holders, and tokens grow.

import { byDepth, soak } from '@sluice/harness';
import { connect } from '@sluice/postgres';
import { startStandby } from '@sluice/postgres-server';
import { proxyTo } from '@sluice/redis-server';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkHistory } from '../../local/test/support/history.ts';
import { end, start, type Child } from './support/children.ts';
import { onServer, poolOf, until, type Ground } from './support/server.ts';

const PROCESSES = 3;
const KILLS = soak > 1 ? 100 : byDepth({ quick: 3, ci: 6, full: 100 });
/** Longer than any of the faults below, so that no living process loses its lease. */
const LONG = 120_000;
/** For what a killed process held: the others wait that long. */
const SHORT = 8000;
const HANG_MS = 1_800_000;

const entered = ({ lines }: Child): number => lines.filter((line) => line.startsWith('entered')).length;

const says = ({ lines }: Child, word: string): boolean => lines.some((line) => line.startsWith(word));

/**
 * Waits until every process has entered twice more: a child that waits has the whole line before it. A process that the
 * machine gave no time for a whole lease has lost it, and ends. Another one takes its place.
 */
async function goOn(children: Child[], begin: () => Child, what: string): Promise<void> {
  const goals = children.map((child) => entered(child) + 2);
  const hasEntered = (child: Child, i: number): boolean => {
    if (says(child, 'WRONG')) throw new Error(`${what}: ${child.lines.at(-1)}`);
    if (says(child, 'LOST')) {
      children[i] = begin();
      goals[i] = 2;
    }
    return entered(children[i] as Child) >= (goals[i] ?? 0);
  };
  await until(what, () => children.map(hasEntered).every(Boolean), 240_000);
}

/** Waits until a process of the children holds the mutex, as far as the history says. Returns its index. */
async function holderIn(file: string, children: readonly Child[]): Promise<number> {
  let holder = -1;
  await until('a process holds the mutex', () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const [what = '', , pid = ''] = lines.findLast((line) => /^[+-] mutex /.test(line))?.split(' ') ?? [];
    holder = what === '+' ? children.findIndex((child) => String(child.pid) === pid) : -1;
    return holder >= 0;
  });
  return holder;
}

/** Runs processes, and `fault` again and again while they work. Returns the number of takes. */
async function withProcesses(
  { url, namespace }: Ground,
  lease: number,
  fault: (children: Child[], begin: () => Child, file: string, i: number) => Promise<void>,
): Promise<{ readonly takes: number; readonly lost: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-faults-'));
  const file = join(folder, 'history');
  writeFileSync(file, '');
  const all: Child[] = [];
  const begin = (): Child => {
    const child = start('holder', url, namespace, String(lease), file);
    all.push(child);
    return child;
  };
  const children = Array.from({ length: PROCESSES }, begin);
  try {
    await goOn(children, begin, 'all processes have entered');
    for (let i = 0; i < KILLS; i++) {
      await fault(children, begin, file, i);
      await goOn(children, begin, `all processes have entered after fault ${i}`);
    }
    expect(all.filter((child) => says(child, 'WRONG'))).toEqual([]);
    const { wrong, takes } = checkHistory(readFileSync(file, 'utf8'));
    expect(wrong).toBe('');
    return { takes, lost: all.filter((child) => says(child, 'LOST')).length };
  } finally {
    for (const child of all) await end(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

onServer('kill -9 of processes', (it) => {
  it(
    'gives what they held to others after a lease, and no lock has two holders',
    async (ground) => {
      const { takes, lost } = await withProcesses(ground, SHORT, async (children, begin, file) => {
        const at = await holderIn(file, children);
        const victim = children[at] as Child;
        appendFileSync(file, `! ${victim.pid}\n`);
        await end(victim);
        children[at] = begin();
      });
      console.log(`${KILLS} kills of processes; ${takes} takes, ${lost} lost leases, 0 double holders, 0 stuck`);
    },
    HANG_MS,
  );
});

onServer(
  'kill -9 of the server, and its stop in order',
  (it) => {
    it(
      'interrupt steps, and no holder loses its lease',
      async (ground) => {
        const { takes, lost } = await withProcesses(ground, LONG, async (_children, _begin, _file, i) => {
          await (i % 2 === 0 ? ground.server.kill() : ground.server.halt());
          await ground.server.start();
        });
        expect(lost).toBe(0);
        console.log(`${KILLS} kills and stops of the server; ${takes} takes, 0 double holders, 0 lost leases`);
      },
      HANG_MS,
    );
  },
  { own: true },
);

onServer(
  'kill -9 of pgbouncer',
  (it) => {
    it(
      'interrupts steps, and no holder loses its lease',
      async (ground) => {
        const { takes, lost } = await withProcesses(ground, LONG, async () => {
          await ground.pooler.kill();
          await ground.pooler.start();
        });
        expect(lost).toBe(0);
        console.log(`${KILLS} kills of pgbouncer; ${takes} takes, 0 double holders, 0 lost leases`);
      },
      HANG_MS,
    );
  },
  { pooled: true },
);

onServer('SIGSTOP of a process', (it) => {
  it(
    'in a transaction delays the others for a short time only, and after a lease it holds nothing',
    async (ground) => {
      let stopped: Child | undefined;
      const { takes } = await withProcesses(ground, SHORT, async (children, begin, file) => {
        // It goes on for a moment, with or without its lease.
        stopped?.process.kill('SIGCONT');
        if (stopped !== undefined) await end(stopped);
        const at = await holderIn(file, children);
        const victim = children[at];
        appendFileSync(file, `! ${victim?.pid}\n`);
        victim?.process.kill('SIGSTOP');
        stopped = victim;
        children[at] = begin();
      });
      console.log(`${KILLS} stops of processes; ${takes} takes, 0 double holders, 0 stuck`);
    },
    HANG_MS,
  );
});

onServer(
  'a standby that commits wait for',
  (it) => {
    it('takes over with every holder and every place in line', async ({ server, query, namespace }) => {
      const standby = await startStandby(server);
      await query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query('SELECT pg_reload_conf()');
      await until('commits wait for the standby', async () => {
        const rows = await query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        return rows.length === 1;
      });
      const proxy = await proxyTo(server.port);
      const pool = poolOf(server.url.replace(String(server.port), String(proxy.port)));
      const open = () => connect(pool, { namespace, lease: LONG });
      const [a, b, c] = [await open(), await open(), await open()];
      try {
        const guard = await a.mutex('m').holdAsync();
        const waiters = [b, c].map(async (space, i) => {
          await until('the ones before wait', async () => (await a.mutex('m').inspect()).waiters.length === i);
          return space.mutex('m').holdAsync();
        });
        await until('both wait', async () => (await a.mutex('m').inspect()).waiters.length === 2);
        await server.kill();
        standby.promote();
        proxy.aim(standby.port);
        expect((await a.mutex('m').inspect()).waiters.length).toBe(2);
        expect(guard.held).toBe(true);
        await guard.release();
        let last = guard.fencingToken;
        for (const waiter of waiters) {
          const next = await waiter;
          expect(next.fencingToken).toBeGreaterThan(last);
          last = next.fencingToken;
          await next.release();
        }
        console.log('a standby took over: the holder held, two waiters kept their places');
      } finally {
        await Promise.all([a, b, c].map((space) => space.close()));
        await pool.end();
        await proxy.close();
        await standby.stop();
      }
    });
  },
  { own: true },
);
