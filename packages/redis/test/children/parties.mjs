// @ts-check
// One party of a barrier: registers, and meets the others repeatedly until it is killed. Prints each violation.
import { hasCode } from '@sluice/core';
import { connect } from '@sluice/redis';
import process, { argv, stdout } from 'node:process';
import { createClient } from 'redis';

const [, , url = '', namespace = '', lease = '', mode = ''] = argv;
const client = createClient({ url, socket: { reconnectStrategy: 50 } });
const space = await connect(client, { namespace, lease: Number(lease), name: mode, onWarning: () => undefined });
const barrier = space.barrier('b', 0);
const counts = { trips: 0, breaks: 0 };

async function meet() {
  await barrier.register();
  stdout.write('registered\n');
  if (mode === 'works') return;
  for (;;) {
    try {
      await barrier.waitAsync();
      counts.trips++;
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_BROKEN_BARRIER')) throw failure;
      counts.breaks++;
      await barrier.mend();
    }
  }
}

meet().catch((/** @type {unknown} */ failure) => {
  stdout.write(hasCode(failure, 'SLUICE_LEASE_LOST') ? 'lost\n' : `WRONG: ${String(failure)}\n`);
  process.exit(0);
});
setInterval(() => stdout.write(`trips ${counts.trips}, breaks ${counts.breaks}\n`), 50);
