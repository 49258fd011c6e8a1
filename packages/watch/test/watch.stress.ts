// Real workers that set and read a value, and that are killed: every value is whole, and the cell goes on.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { WatchCell } from '@sluice/watch';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { checkWhole, READS, SETS, STOP, valueOf, type Life } from './jobs/watch.mjs';

const JOB = new URL('./jobs/watch.mjs', import.meta.url);

test.each([
  ['one writer', ['write', 'read', 'read'], 0],
  ['three writers', ['write', 'write', 'write', 'read'], 0],
  ['writers and readers that are killed', ['write', 'write', 'read', 'read'], 14],
] as const)('values are whole, and no change is missed: %s', { timeout: 300_000 }, async (name, roles, kills) => {
  const session = new Session(`watch cell, ${name}`);
  const { random } = session;
  const arena = Arena.create({ maxPages: 64 });
  const region = Region.create(16, { arena });
  const words = region.int32;
  const cell = WatchCell.create<Uint8Array>(valueOf(0, 1), { arena, codec: 'bytes', maxBytes: 256 });
  const alive = new Map<Worker, { readonly role: Life['role']; readonly begun: Promise<unknown> }>();
  const failures: unknown[] = [];
  const start = (role: Life['role']): void => {
    const data: Life = { cell: cell.handle, words: region.handle, role, seed: random.below(2 ** 31) };
    const worker = new Worker(JOB, { workerData: data, execArgv: [] });
    arena.watch(worker);
    worker.on('error', (failure) => failures.push(failure));
    worker.once('exit', () => alive.delete(worker));
    alive.set(worker, { role, begun: once(worker, 'message') });
  };
  for (const role of roles) start(role);
  const deaths = kills === 0 ? 0 : soakSize(kills, 200);
  for (let death = 0; death < deaths; death++) {
    const [worker, { role, begun }] = random.pick([...alive]);
    await begun;
    await sleep(5 + random.below(30));
    await worker.terminate();
    start(role);
    checkWhole(cell.get());
  }
  await Promise.all([...alive.values()].map(({ begun }) => begun));
  await sleep(soakSize(300, 5000));
  const exits = [...alive.keys()].map((worker) => once(worker, 'exit'));
  Atomics.store(words, STOP, 1);
  // Readers that wait for a change: until all have seen that they are to stop.
  const over = Promise.all(exits);
  while (alive.size > 0) {
    cell.set(valueOf(7, 8));
    await sleep(1);
  }
  await over;
  expect(failures).toEqual([]);
  checkWhole(cell.get());
  session.done(Atomics.load(words, READS), `${Atomics.load(words, SETS)} sets, version ${cell.version}, ${deaths} deaths`);
  expect(cell.version).toBeGreaterThanOrEqual(Atomics.load(words, SETS));
  expect([Atomics.load(words, READS) > 0, cell.waiting, arena.inspect().elements.waiting]).toEqual([true, 0, 0]);
  // All slots are free again: otherwise the next sets would find fewer, and at last none.
  for (let n = 0; n < 100; n++) cell.set(valueOf(n, 1 + n));
  expect(cell.get()).toEqual(valueOf(99, 100));
  cell.free();
});
