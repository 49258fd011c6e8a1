// A server for the tests of one file. Without a server the tests are skipped, and one line reports their number. In CI
// this is a failure unless SLUICE_POSTGRES_URL is `none`.

import { connect, type ConnectOptions, type Space } from '@sluice/postgres';
import {
  findPooler,
  findProgram,
  findServer,
  startPooler,
  startServer,
  type Pooler,
  type Server,
} from '@sluice/postgres-server';
import { writeSync } from 'node:fs';
import { env } from 'node:process';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, type RunnerTask } from 'vitest';

/** The state that the tests of one file share. */
export interface Ground {
  readonly url: string;
  /** The server's process, if the file requested its own server. */
  readonly server: Server;
  /** The pooler in front of it, if the file requested one. */
  readonly pooler: Pooler;
  /** A namespace that no other test uses. */
  readonly namespace: string;
  /** A pool that is ended after the tests. */
  readonly pool: Pool;
  /** Opens a space and closes it after the test. */
  readonly open: (options?: Partial<ConnectOptions>) => Promise<Space>;
  /** Runs one statement. */
  readonly query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}

type It = (name: string, body: (ground: Ground) => Promise<void>, timeoutMs?: number) => void;

export interface GroundOptions {
  /** Whether the tests need a server process of their own, which they may kill. */
  readonly own?: boolean;
  readonly args?: string[];
  /** Whether the spaces connect through pgbouncer. */
  readonly pooled?: boolean;
}

/** The limit of a test that hangs. */
const WATCHDOG_MS = 120_000;
/** The lease of a session in ms: longer than a busy machine may keep this process from renewing it. */
const LEASE_MS = 5000;

/**
 * Describes tests that need a server. `body` may declare tests of other suites: `ground()` gives each what its test
 * needs.
 */
export function onServer(
  title: string,
  body: (it: It, ground: () => Ground) => void,
  { own = false, args, pooled = false }: GroundOptions = {},
): void {
  const found = own || pooled ? findProgram() : findServer();
  if (found.kind === 'none') return skipAll(title, found.why, body);
  if (pooled && findPooler() === undefined) return skipAll(title, 'there is no pgbouncer', body);
  describe(title, () => {
    let server: Server | undefined;
    let pooler: Pooler | undefined;
    let url = '';
    let direct = new Pool();
    let pool = direct;
    const spaces: Space[] = [];

    beforeAll(async () => {
      if (found.kind === 'program')
        server = await startServer({ program: found, ...(args === undefined ? {} : { args }) });
      const serverUrl = found.kind === 'url' ? found.url : (server?.url ?? '');
      if (pooled && server !== undefined) pooler = await startPooler(server.port);
      url = pooler?.url ?? serverUrl;
      direct = poolOf(serverUrl);
      pool = poolOf(url);
    }, WATCHDOG_MS);
    afterEach(async () => {
      await Promise.all(spaces.splice(0).map((space) => space.close()));
    });
    afterAll(async () => {
      await Promise.all([direct.end(), pool.end()]);
      await pooler?.stop();
      await server?.stop();
    });

    const ground = (): Ground => {
      const namespace = `t${Math.random().toString(36).slice(2, 10)}`;
      const open: Ground['open'] = async (options = {}) => {
        const space = await connect(pool, { namespace, lease: LEASE_MS, ...options });
        spaces.push(space);
        return space;
      };
      const query: Ground['query'] = async (sql, values = []) =>
        (await direct.query<Record<string, unknown>>(sql, values)).rows;
      return { url, server: server as Server, pooler: pooler as Pooler, namespace, pool, open, query };
    };
    const it: It = (name, run, timeoutMs = WATCHDOG_MS) => {
      test(name, { timeout: timeoutMs }, () => run(ground()));
    };
    body(it, ground);
  });
}

/** A pool whose idle connections may break: tests stop their servers. */
export function poolOf(url: string): Pool {
  const pool = new Pool({ connectionString: url });
  pool.on('error', () => undefined);
  return pool;
}

function skipAll(title: string, why: string, body: (it: It, ground: () => Ground) => void): void {
  describe(title, () => {
    describe.skip('on a server', () => {
      const it: It = (name) => {
        test(name, () => undefined);
      };
      body(it, () => ({}) as Ground);
    });
    test('a server is available, or its absence is reported', ({ task }) => {
      writeSync(
        2,
        `\n*** ${countOf(task.suite) - 1} tests of "${title}" were SKIPPED: there is no Postgres server (${why}) ***\n`,
      );
      expect(env['CI'] === undefined || env['SLUICE_POSTGRES_URL'] === 'none').toBe(true);
    });
  });
}

/** The number of tests in a suite. */
function countOf(task: RunnerTask | undefined): number {
  return task?.type === 'suite' ? task.tasks.reduce((sum, each) => sum + countOf(each), 0) : 1;
}

/**
 * Waits until `holds` returns true. Checks repeatedly, never after a fixed time. The limit only ends a run that hangs.
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 110_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Returns the reason with which a promise rejects. */
export async function failureOf(
  promise: Promise<unknown>,
): Promise<{ readonly name: string; readonly message: string; readonly code?: string }> {
  try {
    await promise;
  } catch (failure) {
    return failure as Error & { code?: string };
  }
  throw new Error('The promise did not reject');
}
