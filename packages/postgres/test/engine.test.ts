// Tests what a space leaves in the database, how it hears of its grants, and what it does when the database changes.

import { connect } from '@sluice/postgres';
import { shapeOf, type ShapedStep } from '@sluice/remote/steps';
import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect } from 'vitest';
import { load } from '../src/store/load.ts';
import { contextOf, type Query, type Rows } from '../src/store/step-context.ts';
import { clockIn, clockText, FORMAT, sessionIn, sessionText } from '../src/store/stored-texts.ts';
import { failureOf, onServer, poolOf, until } from './support/server.ts';

/** No lease ends in these tests, and no heartbeat finds anything. */
const LONG = 3_600_000;
const child = fileURLToPath(new URL('children/keep-alive.mjs', import.meta.url));

function runChild(...args: string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const process = spawn(execPath, [child, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    process.on('close', resolve);
  });
}

onServer('a schema', (it) => {
  it('is created once, when processes connect at the same time', async ({ open, query }) => {
    const spaces = await Promise.all(Array.from({ length: 8 }, () => open({ schema: 'at_once' })));
    const counts = await Promise.all(spaces.map((space) => space.semaphore('s', 9).acquireAsync()));
    expect(counts.length).toBe(8);
    expect(await spaces[0]?.semaphore('s', 9).available).toBe(1);
    const tables = await query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'at_once'");
    expect(tables.map((row) => row['table_name']).sort()).toEqual([
      'fences',
      'namespaces',
      'primitives',
      'sessions',
      'uses',
    ]);
  });

  it('must exist for a user that may not create it', async ({ open, query, url, namespace }) => {
    await query('CREATE ROLE guest LOGIN');
    const guests = poolOf(url.replace('sluice@', 'guest@'));
    const failure = await failureOf(connect(guests, { namespace, schema: 'for_guests' }));
    expect(failure).toMatchObject({ name: 'PostgresError', code: 'SLUICE_POSTGRES' });
    expect(failure.message).toMatch(
      /^The user may not create the tables of @sluice\/postgres in the schema "for_guests"\. Let an administrator run the statements of tableDefinitions\("for_guests"\)/,
    );
    await open({ schema: 'for_guests' });
    await query('GRANT USAGE ON SCHEMA for_guests TO guest');
    await query('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA for_guests TO guest');
    const space = await connect(guests, { namespace, schema: 'for_guests' });
    await space.mutex('m').lockAsync();
    await space.close();
    await guests.end();
  });

  it('has one row of a namespace when its last session has closed', async ({ open, query, namespace }) => {
    const [a, b] = [await open(), await open()];
    await a.semaphore('db', 2).acquireAsync(2);
    b.semaphore('db', 2)
      .acquireAsync()
      .catch(() => undefined);
    await a.rwLock('t').writer.lockAsync();
    await a.keyedMutex('k').runAsync('x', () => undefined);
    await a.countdownLatch('d', 1).claim();
    await until('b waits', async () => (await a.semaphore('db', 2).waiting) === 1);
    await Promise.all([a.close(), b.close()]);
    const rows = async (table: string): Promise<unknown> =>
      (await query(`SELECT count(*)::int AS n FROM sluice.${table} WHERE namespace = $1`, [namespace]))[0]?.['n'];
    expect(await Promise.all(['namespaces', 'sessions', 'primitives', 'uses'].map(rows))).toEqual([1, 0, 1, 0]);
    // The latch differs from how it was made: its count is that of a dead process. It stays for a week.
    await query('UPDATE sluice.primitives SET expires = 1 WHERE namespace = $1', [namespace]);
    await open();
    expect(await rows('primitives')).toBe(0);
  });

  it('takes names with quotes, backslashes and NUL, and keys that are longer than an index entry', async ({ open }) => {
    const [a, b] = [await open({ name: "o'hara\\\0" }), await open()];
    const names = ["a'b", 'a\\b', 'a\0b', '\u{1F600}é', "'; DROP SCHEMA sluice CASCADE; --", '$1', 'a\nb'];
    for (const name of names) await a.mutex(name).lockAsync();
    const keys = [...names, 'x'.repeat(4096), `${'\u{1F600}'.repeat(2047)}'`];
    const own = a.keyedMutex('keys');
    for (const key of keys) {
      await own.lockAsync(key);
      expect(await b.keyedMutex('keys').tryLock(key)).toBe(false);
    }
    for (const name of names) expect(await b.mutex(name).tryLock()).toBe(false);
    const { keys: reported } = await b.keyedMutex('keys').inspect();
    expect(reported.map(({ key }) => key).sort()).toEqual([...keys].sort());
    const { primitives, sessions } = await b.report();
    expect(primitives.length).toBe(names.length + keys.length);
    expect(sessions.map(({ label }) => label)).toContain("o'hara\\\0");
    await own.unlock('x'.repeat(4096));
    expect(await b.keyedMutex('keys').tryLock('x'.repeat(4096))).toBe(true);
    const lazy = { text: `\0\\'"\u{1F600}\ud800` };
    expect(await a.lazy<{ text: string }>('l').getAsync(() => lazy)).toEqual(lazy);
    expect(await b.lazy<{ text: string }>('l').value).toEqual(lazy);
  });

  it('refuses a namespace of another version while a session of it may live, and begins it anew afterwards', async ({
    open,
    query,
    namespace,
  }) => {
    const space = await open();
    const token = (await space.mutex('m').holdAsync()).fencingToken;
    await query("UPDATE sluice.namespaces SET format = '0', clock = 'unknown' WHERE namespace = $1", [namespace]);
    const failure = await failureOf(open());
    expect(failure.message).toBe(
      `The namespace is in use by another version of @sluice/postgres (format 0; this is ${FORMAT}). Use another namespace, or the same version everywhere.`,
    );
    await query('UPDATE sluice.sessions SET until = 0 WHERE namespace = $1', [namespace]);
    const next = await (await open()).mutex('m').holdAsync();
    expect(next.fencingToken).toBeGreaterThan(token);
  });
});

onServer('a session', (it) => {
  it('uses one connection, and none of the pool', async ({ open, query, pool, namespace }) => {
    const space = await open({ name: namespace });
    await Promise.all(Array.from({ length: 20 }, (_, i) => space.mutex(`m${i}`).lockAsync()));
    // Those of earlier tests may still end.
    await until('there is one connection', async () => {
      const rows = await query("SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice'");
      return rows.length === 1;
    });
    expect(pool.totalCount).toBe(0);
  });

  it('is notified of its grants, at once', async ({ open, query, namespace }) => {
    const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG })];
    for (let i = 0; i < 5; i++) {
      const guard = await a.mutex('m').holdAsync();
      const next = b.mutex('m').holdAsync();
      await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await guard.release();
      await (await next).release();
    }
    expect(await query('SELECT DISTINCT polls FROM sluice.sessions WHERE namespace = $1', [namespace])).toEqual([
      { polls: false },
    ]);
  });

  it('looks for its grants without LISTEN, while it holds or waits', async ({ open, query, namespace }) => {
    const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG, listen: false, poll: 5 })];
    for (let i = 0; i < 5; i++) {
      const guard = await a.mutex('m').holdAsync();
      const next = b.mutex('m').holdAsync();
      await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await guard.release();
      await (await next).release();
    }
    const rows = await query('SELECT polls, mail FROM sluice.sessions WHERE namespace = $1 ORDER BY polls', [
      namespace,
    ]);
    expect(rows).toEqual([
      { polls: false, mail: '' },
      { polls: true, mail: '' },
    ]);
  });

  it('goes on after its connection is ended, and hears of what it was granted in between', async ({ open, query }) => {
    const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG })];
    const end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice'";
    for (let i = 0; i < 5; i++) {
      const guard = await a.mutex('m').holdAsync();
      const next = b.mutex('m').holdAsync();
      await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      const released = guard.release();
      await query(end);
      await released;
      await (await next).release();
    }
  });

  it('learns that its tables were removed, and the next call begins anew', async ({ open, query }) => {
    const space = await open({ schema: 'removed', lease: 1000 });
    const guard = await space.mutex('m').holdAsync();
    const aborted = new Promise((resolve) => guard.signal.addEventListener('abort', resolve));
    await query('DROP SCHEMA removed CASCADE');
    await aborted;
    expect(guard.held).toBe(false);
    await space.mutex('m').lockAsync();
  });

  it('loses what it holds when its lease ends, and the next waiter gets it', async ({ open, query, namespace }) => {
    const [a, b] = [await open({ lease: LONG, name: 'a' }), await open({ lease: LONG, name: 'b' })];
    const guard = await a.mutex('m').holdAsync();
    const next = b.mutex('m').holdAsync();
    await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
    // As if it had been silent for a lease.
    for (const row of await query('SELECT session, state FROM sluice.sessions WHERE namespace = $1', [namespace])) {
      const session = sessionIn(String(row['state']), new Set());
      if (session.label !== 'a') continue;
      session.ends = 1;
      await query('UPDATE sluice.sessions SET state = $3 WHERE namespace = $1 AND session = $2', [
        namespace,
        row['session'],
        sessionText(session),
      ]);
    }
    const [row = {}] = await query('SELECT clock FROM sluice.namespaces WHERE namespace = $1', [namespace]);
    const clock = clockText({ ...clockIn(String(row['clock'])), first: 1, log: 2 });
    await query('UPDATE sluice.namespaces SET clock = $2 WHERE namespace = $1', [namespace, clock]);
    // Every step ends sessions.
    await b.mutex('other').lockAsync();
    expect((await next).fencingToken).toBeGreaterThan(guard.fencingToken);
    expect((await failureOf(guard.release())).code).toBe('SLUICE_LEASE_LOST');
  });

  it('waits for a process that stopped in a transaction until the server ends that transaction', async ({
    open,
    url,
    namespace,
  }) => {
    const space = await open({ lease: 60_000 });
    const stopped = new Client({ connectionString: url });
    stopped.on('error', () => undefined);
    await stopped.connect();
    const ended = new Promise<void>((resolve) => stopped.on('end', resolve));
    const query: Query = async (sql) => {
      const results = (await stopped.query({ text: sql, rowMode: 'array' })) as unknown as { rows: Rows }[];
      return results.map(({ rows }) => rows);
    };
    const context = contextOf('sluice', namespace, { owner: 'stopped', polls: false, lockMs: 10_000, idleMs: 100 });
    // It sends the first message of a call, and not the second one.
    await load(query, context, [shapeOf(['poke', 'stopped', '1', 'm:m']) as ShapedStep]);
    expect(await space.mutex('m').tryLock()).toBe(true);
    await ended;
  });

  it('keeps its process alive while a call waits, unless its `ref` is false', async ({ url, namespace }) => {
    const codes = await Promise.all(['idle', 'waits', 'unref'].map((what) => runChild(url, namespace, what)));
    expect(codes).toEqual([0, 7, 0]);
  });

  it('gets tokens that grow also if the clock of the server is put back', async ({ open, query, namespace }) => {
    const space = await open();
    const first = (await space.mutex('m').holdAsync()).fencingToken;
    const ahead = first + 1_000_000_000_000n;
    await query('UPDATE sluice.namespaces SET clock = regexp_replace(clock, $2, $3) WHERE namespace = $1', [
      namespace,
      `,${first},`,
      `,${ahead},`,
    ]);
    const next = await space.mutex('n').holdAsync();
    expect(next.fencingToken).toBe(ahead + 1n);
  });
});

onServer(
  'a session through pgbouncer',
  (it) => {
    it('looks for its grants, without being told', async ({ open, query, namespace }) => {
      const [a, b] = [await open({ lease: LONG }), await open({ lease: LONG })];
      const guard = await a.mutex('m').holdAsync();
      const next = b.mutex('m').holdAsync();
      await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await guard.release();
      await next;
      expect(await query('SELECT DISTINCT polls FROM sluice.sessions WHERE namespace = $1', [namespace])).toEqual([
        { polls: true },
      ]);
    });

    it('shares its primitives with a session that is connected directly', async ({ open, namespace, server }) => {
      const direct = poolOf(server.url);
      const [a, b] = [await open({ lease: LONG }), await connect(direct, { namespace, lease: LONG })];
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const guard = await one.mutex('m').holdAsync();
        const next = other.mutex('m').holdAsync();
        await until('the other waits', async () => (await one.mutex('m').inspect()).waiters.length === 1);
        await guard.release();
        await (await next).release();
      }
      await b.close();
      await direct.end();
    });

    it('goes on after pgbouncer was killed and started again', async ({ open, pooler }) => {
      const [a, b] = [await open({ lease: 60_000 }), await open({ lease: 60_000 })];
      const guard = await a.mutex('m').holdAsync();
      const next = b.mutex('m').holdAsync();
      await until('b waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await pooler.kill();
      await pooler.start();
      expect(guard.held).toBe(true);
      await guard.release();
      await (await next).release();
    });
  },
  { pooled: true },
);
