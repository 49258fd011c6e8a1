// A server for the tests of one file. Without a server the tests are skipped, and one line reports their number. In CI
// this is a failure unless SLUICE_REDIS_URL is `none`.

import { findProgram, findServer, startServer, type Server } from '@sluice/redis-server';
import { Redis } from 'ioredis';
import { writeSync } from 'node:fs';
import { env } from 'node:process';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, test, type RunnerTask } from 'vitest';
import { connect, type ConnectOptions, type Space } from '@sluice/redis';

export type Library = 'redis' | 'ioredis';

/** The state that the tests of one file share. */
export interface Ground {
  readonly url: string;
  /** The server's process, if the file requested its own server. */
  readonly server: Server;
  /** A namespace that no other test uses. */
  readonly namespace: string;
  /** Opens a space and closes it after the test. */
  readonly open: (options?: Partial<ConnectOptions>, library?: Library) => Promise<Space>;
  /** Sends one command. */
  readonly command: (...words: string[]) => Promise<unknown>;
}

type It = (name: string, body: (ground: Ground) => Promise<void>, timeoutMs?: number) => void;

export interface GroundOptions {
  /** Whether the tests need a server process of their own, which they may kill. */
  readonly own?: boolean;
  readonly args?: string[];
}

/** A client that is not connected. */
export function clientOf(library: Library, url: string): ReturnType<typeof createClient> | Redis {
  if (library === 'ioredis') return new Redis(url, { lazyConnect: true, retryStrategy: () => 50 });
  return createClient({ url, socket: { reconnectStrategy: 50 } });
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
  { own = false, args }: GroundOptions = {},
): void {
  const found = own ? findProgram() : findServer();
  if (found.kind === 'none') return skipAll(title, found.why, body);
  describe(title, () => {
    let server: Server | undefined;
    let url = '';
    const spaces: Space[] = [];
    const client = { command: new Redis({ lazyConnect: true }) };

    beforeAll(async () => {
      if (found.kind === 'program')
        server = await startServer({ program: found, ...(args === undefined ? {} : { args }) });
      url = found.kind === 'url' ? found.url : (server?.url ?? '');
      client.command = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      client.command.on('error', () => undefined);
    }, WATCHDOG_MS);
    afterEach(async () => {
      await Promise.all(spaces.splice(0).map((space) => space.close()));
    });
    afterAll(async () => {
      client.command.disconnect();
      await server?.stop();
    });

    const ground = (): Ground => {
      const namespace = `t${Math.random().toString(36).slice(2, 10)}`;
      const open: Ground['open'] = async (options = {}, library = 'redis') => {
        const space = await connect(clientOf(library, url), {
          namespace,
          lease: LEASE_MS,
          onWarning: () => undefined,
          ...options,
        });
        spaces.push(space);
        return space;
      };
      const command = (...words: string[]): Promise<unknown> =>
        client.command.call(...(words as [string, ...string[]]));
      return { url, server: server as Server, namespace, open, command };
    };
    const it: It = (name, run, timeoutMs = WATCHDOG_MS) => {
      test(name, { timeout: timeoutMs }, () => run(ground()));
    };
    body(it, ground);
  });
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
        `\n*** ${countOf(task.suite) - 1} tests of "${title}" were SKIPPED: there is no Redis server (${why}) ***\n`,
      );
      expect(env['CI'] === undefined || env['SLUICE_REDIS_URL'] === 'none').toBe(true);
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
