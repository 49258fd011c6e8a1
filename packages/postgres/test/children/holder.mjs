// @ts-check
// Takes a mutex, a semaphore of two and a key again and again until it is killed. Writes to one file when it takes and
// when it gives back: appends are in one order for all processes.
import { hasCode } from '@sluice/core';
import { connect } from '@sluice/postgres';
import { appendFileSync } from 'node:fs';
import process, { argv, stdout } from 'node:process';
import pg from 'pg';

const [, , url = '', namespace = '', lease = '', file = ''] = argv;
const space = await connect(new pg.Pool({ connectionString: url }), { namespace, lease: Number(lease) });
let entered = 0;

/** @param {string} what */
const log = (what) => appendFileSync(file, `${what}\n`);

/** @param {string} name @param {{ holdAsync(): Promise<import('@sluice/postgres').RemoteGuard> }} lock */
async function work(name, lock) {
  for (;;) {
    const guard = await lock.holdAsync();
    log(`+ ${name} ${process.pid} ${guard.fencingToken}`);
    await new Promise((resolve) => setImmediate(resolve));
    guard.assertHeld();
    log(`- ${name} ${process.pid} ${guard.fencingToken}`);
    await guard.release();
    stdout.write(`entered ${++entered}\n`);
  }
}

const tasks = [
  work('mutex', space.mutex('m')),
  work('mutex', space.mutex('m')),
  work('slots', { holdAsync: () => space.semaphore('s', 2).holdAsync(1) }),
  work('key', { holdAsync: () => space.keyedMutex('k').holdAsync('one') }),
];
for (const task of tasks) {
  task.catch((/** @type {unknown} */ failure) => {
    const isLoss = hasCode(failure, 'SLUICE_LEASE_LOST');
    if (isLoss) log(`? ${process.pid}`);
    stdout.write(`${isLoss ? 'LOST' : 'WRONG'}: ${String(failure)}\n`);
    process.exit(isLoss ? 0 : 1);
  });
}
stdout.write('ready\n');
