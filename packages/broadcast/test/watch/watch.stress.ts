// Real workers that set and read a value, and are killed: every value is whole, and the cell still works.

import { Arena, Region } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { WatchCell } from '@sluice/broadcast';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { GRANT } from '../../../core/src/kernel/layout.ts';
import { FREE_SLOTS, SLOT_MASK, SLOTS } from '../../src/watch/kernel/layout.ts';
import { checkWhole, READS, SETS, STOP, valueOf, type Life } from './jobs/watch.mjs';

const ALL_SLOTS = 2 ** SLOTS - 1;
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
  while (Atomics.load(words, READS) === 0 && failures.length === 0) await sleep(1);
  const exits = [...alive.keys()].map((worker) => once(worker, 'exit'));
  Atomics.store(words, STOP, 1);
  // Readers wait for a change. This loop ends when all have seen that they are to stop.
  const over = Promise.all(exits);
  while (alive.size > 0) {
    cell.set(valueOf(7, 8));
    await sleep(1);
  }
  await over;
  expect(failures).toEqual([]);
  checkWhole(cell.get());
  session.done(
    Atomics.load(words, READS),
    `${Atomics.load(words, SETS)} sets, version ${cell.version}, ${deaths} deaths`,
  );
  expect(cell.version).toBeGreaterThanOrEqual(Atomics.load(words, SETS));
  expect([Atomics.load(words, READS) > 0, cell.waiting, arena.inspect().elements.waiting]).toEqual([true, 0, 0]);
  // All slots except that of the newest value are free again. Otherwise later sets would find fewer slots, and finally
  // none.
  const memory = new Int32Array(arena.handle.memory.buffer);
  const word = (offset: number): number => Atomics.load(memory, (cell.handle.address + offset) >> 2);
  expect((word(FREE_SLOTS) | (1 << (word(GRANT) & SLOT_MASK))) & ALL_SLOTS).toBe(ALL_SLOTS);
  for (let n = 0; n < 100; n++) cell.set(valueOf(n, 1 + n));
  expect(cell.get()).toEqual(valueOf(99, 100));
  cell.free();
});

test('close() ends every wait and loop, each with the last value, even when the writer is killed', async () => {
  const session = new Session('watch cell, close');
  const { random } = session;
  const rounds = soakSize(6, 60);
  for (let round = 0; round < rounds; round++) {
    const arena = Arena.create({ maxPages: 64 });
    const region = Region.create(16, { arena });
    const cell = WatchCell.create<Uint8Array>(valueOf(0, 1), { arena, codec: 'bytes', maxBytes: 256 });
    const start = async (role: Life['role']) => {
      const data: Life = { cell: cell.handle, words: region.handle, role, seed: random.below(2 ** 31) };
      const worker = new Worker(JOB, { workerData: data, execArgv: [] });
      arena.watch(worker);
      await once(worker, 'message');
      return worker;
    };
    const readers = await Promise.all((['block', 'loop', 'block'] as const).map(start));
    const writer = await start('write');
    const lasts = Promise.all(readers.map(async (worker) => (await once(worker, 'message')) as [Uint8Array]));
    await sleep(random.below(20));
    await writer.terminate();
    cell.set(valueOf(201, 202));
    cell.close();
    expect(await lasts).toEqual(readers.map(() => [valueOf(201, 202)]));
    await Promise.all(readers.map((worker) => worker.terminate()));
    expect([cell.waiting, arena.inspect().elements.waiting]).toEqual([0, 0]);
    cell.free();
  }
  session.done(rounds, 'closings');
});
