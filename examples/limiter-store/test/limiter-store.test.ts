// Tests RateLimiterSpace beside RateLimiterMemory of the real package, over each engine.

import { connect as connectLocal, type Space } from '@sluice/local';
import { connect as connectPostgres } from '@sluice/postgres';
import { findServer as findPostgres, startServer as startPostgres } from '@sluice/postgres-server';
import { connect as connectRedis } from '@sluice/redis';
import { findServer as findRedis, startServer as startRedis } from '@sluice/redis-server';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { RateLimiterMemory, RateLimiterUnion, type RateLimiterRes } from 'rate-limiter-flexible';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../../tools/harness/src/program.ts';
import { RateLimiterSpace } from '../src/rate-limiter-space.mjs';

/** Where a server is missing, the tests of its package say so, and fail in CI. */
const redis = findRedis();
const postgres = findPostgres();
const urls = { redis: '', postgres: '' };
const runtime = mkdtempSync(join(tmpdir(), 'sl-limiter-'));
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  if (redis.kind === 'url') urls.redis = redis.url;
  if (redis.kind === 'program') {
    const server = await startRedis({ program: redis });
    urls.redis = server.url;
    ends.push(() => server.stop());
  }
  if (postgres.kind === 'url') urls.postgres = postgres.url;
  if (postgres.kind === 'program') {
    const server = await startPostgres({ program: postgres });
    urls.postgres = server.url;
    ends.push(() => server.stop());
  }
}, 60_000);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  rmSync(runtime, { recursive: true });
});

const SPACES: Readonly<Record<string, () => Promise<Space>>> = {
  processes: () => connectLocal({ namespace: 'limiter', path: runtime }),
  Redis: () => connectRedis(createClient({ url: urls.redis }), { namespace: 'limiter', onWarning: () => undefined }),
  Postgres: async () => {
    const pool = new Pool({ connectionString: urls.postgres });
    ends.push(() => pool.end());
    return connectPostgres(pool, { namespace: 'limiter' });
  },
};

async function open(engine: string): Promise<Space> {
  const space = await (SPACES[engine] as () => Promise<Space>)();
  ends.push(() => space.close());
  return space;
}

type Limiter = RateLimiterMemory | RateLimiterSpace;
const OPTIONS = { points: 3, duration: 600, blockDuration: 7200 };

const minutes = ({ msBeforeNext }: RateLimiterRes): number => Math.ceil(msBeforeNext / 60_000);
const text = (res: RateLimiterRes): string =>
  `${res.consumedPoints} of ${res.consumedPoints + res.remainingPoints}${res.isFirstInDuration ? ', first' : ''}, ${minutes(res)} min`;

/** Uses every method. Returns what they resolve and reject with. */
async function use(limiter: Limiter): Promise<unknown[]> {
  const consume = (key: string, points?: number): Promise<string> =>
    limiter.consume(key, points).then(
      (res) => `taken: ${text(res)}`,
      (refused: unknown) => {
        const res = refused as RateLimiterRes;
        return `refused: ${res.consumedPoints}, ${minutes(res)} min`;
      },
    );
  const seen = async (key: string): Promise<string> => {
    const res = await limiter.get(key);
    return res === null ? 'nothing' : `${res.consumedPoints} used, ${minutes(res)} min`;
  };
  return [
    await seen('a'),
    await consume('a'),
    await consume('a', 2),
    await seen('a'),
    // The third call blocks the key, and the fourth does not lengthen the block.
    await consume('a'),
    await consume('a'),
    await seen('a'),
    await limiter.delete('a'),
    await limiter.delete('a'),
    await consume('a'),
    text(await limiter.penalty('b', 2)),
    text(await limiter.reward('b')),
    await consume('b', 2),
    (await limiter.block('c', 300)).consumedPoints,
    await consume('c'),
    (await limiter.set('d', 2, 1200)).consumedPoints,
    await consume('d'),
    await seen('d'),
    (await limiter.set('e', 1, 0)).msBeforeNext,
    await consume('e'),
  ];
}

describe.each([
  ['processes', true],
  ['Redis', redis.kind !== 'none'],
  ['Postgres', postgres.kind !== 'none'],
])('rate-limiter-flexible over %s', (engine, isHere) => {
  test.skipIf(!isHere)('answers as its limiter in memory does', async () => {
    const inMemory = await use(new RateLimiterMemory(OPTIONS));
    const limiter = new RateLimiterSpace({ ...OPTIONS, storeClient: await open(engine), keyPrefix: 'used' });
    expect(await use(limiter)).toEqual(inMemory);
    expect(inMemory).toContain('refused: 4, 120 min');
  });

  test.skipIf(!isHere)('counts each point once over two processes', async () => {
    const make = async (): Promise<RateLimiterSpace> =>
      new RateLimiterSpace({ storeClient: await open(engine), keyPrefix: 'counted', points: 25, duration: 600 });
    const [first, second] = [await make(), await make()];
    const calls = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? first : second).consume('key'));
    const ended = await Promise.allSettled(calls);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
    expect((await first.get('key'))?.consumedPoints).toBe(40);
  });

  test.skipIf(!isHere)('counts from 0 when the duration is over', async () => {
    const storeClient = await open(engine);
    const limiter = new RateLimiterSpace({ storeClient, keyPrefix: 'short', points: 1, duration: 0.05 });
    await limiter.consume('key');
    while ((await limiter.get('key')) !== null);
    expect((await limiter.consume('key')).consumedPoints).toBe(1);
  });

  test.skipIf(!isHere)('gives over to the insurance when its space is closed, and works in a union', async () => {
    const space = await open(engine);
    const [first, second] = ['one', 'two'].map(
      (keyPrefix, i) =>
        new RateLimiterSpace({
          storeClient: space,
          keyPrefix,
          points: 2 + i,
          duration: 600,
          insuranceLimiter: new RateLimiterMemory({ points: 1, duration: 600 }),
        }),
    );
    const union = new RateLimiterUnion(first as RateLimiterSpace, second as RateLimiterSpace);
    await union.consume('key');
    await union.consume('key');
    await expect(union.consume('key')).rejects.toHaveProperty('one');
    await space.close();
    expect((await first?.consume('key'))?.remainingPoints).toBe(0);
    await expect(first?.consume('key')).rejects.toMatchObject({ consumedPoints: 2 });
  });
});

test('the program prints what its page says', async () => {
  const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
  const { code, stdout, stderr } = await runProgram(main, [], { variables: { XDG_RUNTIME_DIR: runtime } });
  expect(stderr).toBe('');
  expect(stdout).toBe('2 left\n1 left\n0 left\nagain in 10 min\n');
  expect(code).toBe(0);
});
