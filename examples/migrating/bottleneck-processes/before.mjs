import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, env, exit } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [, , file = ''] = argv;

if (file === '') {
  const folder = mkdtempSync(join(tmpdir(), 'downloads-'));
  const log = join(folder, 'log');
  const children = [1, 2, 3].map(() => fork(fileURLToPath(import.meta.url), [log]));
  await Promise.all(children.map((child) => once(child, 'exit')));
  let [now, most, all] = [0, 0, 0];
  for (const change of readFileSync(log, 'utf8')) {
    now += change === '+' ? 1 : -1;
    most = Math.max(most, now);
    all++;
  }
  console.log(`${all / 2} pages of ${children.length} processes, never more than two at a time: ${most <= 2}`);
  rmSync(folder, { recursive: true });
} else {
  const client = new Redis(env.REDIS_URL ?? 'redis://localhost:6379');
  const connection = new Bottleneck.IORedisConnection({ client });
  const limiter = new Bottleneck({ id: 'downloads', maxConcurrent: 2, datastore: 'ioredis', connection });
  await limiter.ready();

  async function download() {
    appendFileSync(file, '+');
    await sleep(5);
    appendFileSync(file, '-');
  }

  await Promise.all([1, 2, 3, 4].map(() => limiter.schedule(download)));
  await limiter.disconnect();
  exit();
}
