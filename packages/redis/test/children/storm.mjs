// @ts-check
// Acquires a mutex and permits of a semaphore at random until it is killed. Prints each violation.
import { hasCode } from '@sluice/core';
import { connect, fence } from '@sluice/redis';
import process, { argv, stdout } from 'node:process';
import { createClient } from 'redis';

const [, , url = '', namespace = '', lease = '', permits = '', waits = '3'] = argv;
const client = createClient({ url, socket: { reconnectStrategy: 50 } });
client.on('error', () => undefined);
await client.connect();
const space = await connect(client, { namespace, lease: Number(lease), onWarning: () => undefined });
const mutex = space.mutex('m');
const semaphore = space.semaphore('s', Number(permits));
const below = (/** @type {number} */ limit) => Math.floor(Math.random() * limit);
const counts = { passes: 0, waits: 0 };

async function locks() {
  for (;;) {
    const guard = await mutex.tryHold(below(200));
    if (guard === null) continue;
    // The owner of the mutex has the greatest token. The fence may refuse it only after the lease has ended.
    if (!(await fence(client, `{${namespace}}resource`, guard.fencingToken)) && guard.held)
      stdout.write('WRONG: the fence refused a live holder\n');
    await guard.release();
    counts.passes++;
  }
}

async function takes() {
  for (;;) {
    const n = 1 + below(3);
    const taken = await semaphore.tryAcquire(n, below(300));
    counts.waits++;
    if (!taken) continue;
    await new Promise((resolve) => setTimeout(resolve, below(5)));
    await semaphore.release(n);
    counts.passes++;
  }
}

for (const task of [locks, ...Array.from({ length: Number(waits) }, () => takes)]) {
  task().catch((/** @type {unknown} */ failure) => {
    if (!hasCode(failure, 'SLUICE_LEASE_LOST')) stdout.write(`WRONG: ${String(failure)}\n`);
    process.exit(0);
  });
}
setInterval(() => stdout.write(`passes ${counts.passes}, waits ${counts.waits}\n`), 50);
