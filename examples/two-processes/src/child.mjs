// @ts-check
// One process: takes one of two slots again and again until its parent has seen enough, and tells it.
import { connect } from '@sluice/redis';
import { once } from 'node:events';
import process, { argv } from 'node:process';
import { createClient } from 'redis';

const [, , url = '', name = '', hold = '150', lease = '3000'] = argv;
const client = createClient({ url });
const space = await connect(client, { namespace: 'demo', lease: Number(lease), name, onWarning: () => undefined });
const slots = space.semaphore('slots', 2);

process.send?.({ name, event: 'is connected' });
await once(process, 'message');
const told = { enough: false };
process.once('message', () => (told.enough = true));

while (!told.enough) {
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
  await new Promise((resolve) => setTimeout(resolve, Number(hold)));
  await guard.release();
  process.send?.({ name, event: 'released it' });
}
await space.close();
process.disconnect();
