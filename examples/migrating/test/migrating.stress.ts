// Runs the programs of the site's pages about migrating. Each prints the same before and after the change.
import { findServer, startServer } from '@sluice/redis-server';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { env, execPath, versions } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PROGRAM_MS = 180_000;
const folder = fileURLToPath(new URL('..', import.meta.url));

/** The Web Locks of Node.js came with 24, and `multithreading` does not load on 20. */
const newer = Number(versions.node.split('.')[0]) >= 24 ? execPath : env['SLUICE_NODE24'];

/** Programs of these libraries need a server. Without one the tests of packages/redis say so, and fail in CI. */
const redis = findServer();
const overRedis = redis.kind === 'none' ? undefined : execPath;
const server: { url: string; stop: () => Promise<void> } = {
  url: redis.kind === 'url' ? redis.url : '',
  stop: () => Promise.resolve(),
};
beforeAll(async () => {
  if (redis.kind !== 'program') return;
  const own = await startServer({ program: redis });
  server.url = own.url;
  server.stop = () => own.stop();
});
afterAll(() => server.stop());

const programs = [
  ['async-mutex', execPath, '60\ntoo busy\nanswered, answered\ntrue\n'],
  ['p-limit', execPath, 'page 1, page 2, page 3, page 4, page 5\nat most 2 at a time, 0 active, 0 pending\n'],
  ['p-queue', execPath, '0 waiting, 0 running\na b c d e\n'],
  ['piscina', execPath, '4 168 1229\n3000\naborted\ntrue\n'],
  ['tinypool', execPath, '4 168 1229\n3000\ncancelled, cancelled, cancelled, cancelled\n'],
  ['workerpool', execPath, '4 168 1229\ntimed out\nError: no division by 0\n'],
  ['bottleneck', execPath, 'page a, page b, page late, page early\ngiven up a b early late\n0 running, 0 waiting\n'],
  ['rate-limiter-flexible', execPath, '2 left | 0 left | again in 1 min\n1 left\nagain in 60 min\n2 left\n'],
  ['lru-cache', execPath, '100 user 2 5\nuser 2 false 6\n'],
  ['proper-lockfile', execPath, '20\ntrue locked\nfalse\n'],
  ['web-locks', newer, '1000\nfalse\nError: gave up\n'],
  ['multithreading', newer, '500 500\n1000\n'],
  ['atomics', execPath, '2000\n'],
  ['bottleneck-processes', overRedis, '12 pages of 3 processes, never more than two at a time: true\n'],
  ['redis-semaphore', overRedis, 'page 1, page 2, page 3, page 4, page 5\nat most 2 at a time\nfalse\ntrue\n'],
  ['redlock', overRedis, '60\nbusy\n'],
] as const;

function run(program: string, node: string): { printed: string; failed: string; code: number | null } {
  const { status, stdout, stderr } = spawnSync(node, ['--no-warnings', join(folder, program)], {
    encoding: 'utf8',
    timeout: PROGRAM_MS,
    killSignal: 'SIGKILL',
    env: { ...env, REDIS_URL: server.url },
  });
  return { printed: stdout, failed: stderr, code: status };
}

for (const [name, node, printed] of programs) {
  test.skipIf(/^redis|^redlock/.test(name) && node === undefined)(
    `${name}: the program after the change prints what its page says`,
    { timeout: PROGRAM_MS },
    () => {
      expect(run(`${name}/after.mjs`, execPath)).toEqual({ printed, failed: '', code: 0 });
    },
  );

  test.skipIf(node === undefined)(
    `${name}: the program before the change prints the same`,
    { timeout: PROGRAM_MS },
    () => {
      expect(run(`${name}/before.mjs`, node ?? '')).toEqual({ printed, failed: '', code: 0 });
    },
  );
}
