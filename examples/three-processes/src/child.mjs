// @ts-check
// One process: leads if no other does, takes one of two slots again and again at a bounded rate, and tells its parent.
import { connect } from '@sluice/local';
import { once } from 'node:events';
import process, { argv } from 'node:process';

const [, , namespace = '', name = '', rounds = '1'] = argv;
const space = await connect({ namespace, name });
const slots = space.semaphore('slots', 2);
const rate = space.rateLimiter('starts', { permits: 20, interval: 1000, burst: 2 });

process.send?.({ name, event: 'is connected' });
await once(process, 'message');

// The leader leads until it ends. The others wait in line, and keep no process alive.
space
  .leader(
    'indexer',
    (signal, { fencingToken }) => {
      process.send?.({ name, event: 'leads', token: String(fencingToken) });
      return once(signal, 'abort');
    },
    { ref: false },
  )
  .catch(() => {});

for (let i = 0; i < Number(rounds); i++) {
  await rate.acquireAsync();
  const guard = await slots.holdAsync();
  const { holders, waiters } = await slots.inspect();
  const labels = (/** @type {readonly { label: string }[]} */ list) => list.map(({ label }) => label);
  process.send?.({
    name,
    event: 'has a slot',
    token: String(guard.fencingToken),
    holders: labels(holders).sort(),
    waiters: labels(waiters),
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await guard.release();
}
process.send?.({ name, event: 'is done' });
// The leader leads until its parent has seen enough.
await once(process, 'message');
await space.close();
process.disconnect();
