// Tests that a program moves from threads to processes and to machines by its first lines alone.

import { findServer as findPostgres, startServer as startPostgres } from '@sluice/postgres-server';
import { findServer as findRedis, startServer as startRedis } from '@sluice/redis-server';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../../tools/harness/src/program.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(`../src/${name}.mjs`, import.meta.url));
/** What follows the line that makes the semaphore. */
const restOf = (name: string): string =>
  /^const slots = .*\n([^]*)/m.exec(readFileSync(fileOf(name), 'utf8'))?.[1] ?? name;

/** Where a server is missing, the tests of its package say so, and fail in CI. */
const redis = findRedis();
const postgres = findPostgres();
const servers = { REDIS_URL: '', DATABASE_URL: '', XDG_RUNTIME_DIR: '' };
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  servers.XDG_RUNTIME_DIR = mkdtempSync(join(tmpdir(), 'sluice-one-program-'));
  stops.push(() => {
    rmSync(servers.XDG_RUNTIME_DIR, { recursive: true });
    return Promise.resolve();
  });
  if (redis.kind === 'url') servers.REDIS_URL = redis.url;
  if (redis.kind === 'program') {
    const server = await startRedis({ program: redis });
    servers.REDIS_URL = server.url;
    stops.push(() => server.stop());
  }
  if (postgres.kind === 'url') servers.DATABASE_URL = postgres.url;
  if (postgres.kind === 'program') {
    const server = await startPostgres({ program: postgres });
    servers.DATABASE_URL = server.url;
    stops.push(() => server.stop());
  }
}, 60_000);

afterAll(async () => {
  for (const stop of stops) await stop();
});

test('the programs differ in their first lines only', () => {
  const rest = restOf('threads');
  expect(rest.trim().split('\n')).toHaveLength(11);
  for (const name of ['processes', 'redis', 'postgres']) expect(restOf(name)).toBe(rest);
});

test.each([
  ['threads', true],
  ['processes', true],
  ['redis', redis.kind !== 'none'],
  ['postgres', postgres.kind !== 'none'],
])('the program over %s fetches every page, two at a time', async (name, isHere) => {
  if (!isHere) return;
  const { code, stdout, stderr } = await runProgram(fileOf(name), [], { variables: servers });
  expect(stderr).toBe('');
  expect(stdout).toBe('A B C D\n');
  expect(code).toBe(0);
});

test.each([
  ['processes', true],
  ['redis', redis.kind !== 'none'],
  ['postgres', postgres.kind !== 'none'],
])('three programs over %s share the slots', async (name, isHere) => {
  if (!isHere) return;
  const runs = [1, 2, 3].map(() => runProgram(fileOf(name), [], { variables: servers }));
  for (const { code, stdout } of await Promise.all(runs)) {
    expect(stdout).toBe('A B C D\n');
    expect(code).toBe(0);
  }
});
