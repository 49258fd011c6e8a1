// Real workers that select among buffers and a semaphore, and are killed: each value comes out once, and all permits
// return.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region, Semaphore } from '@sluice/core';
import { Session, soakSize } from '@sluice/harness';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { KNOWN, LIVES, MOST, TAKEN, WORDS, type Life } from './jobs/select.mjs';

const JOB = new URL('./jobs/select.mjs', import.meta.url);
const ROLES = ['produce', 'consume', 'produce', 'consume'] as const;
const PERMITS = 2;

test.each([1, 16])(
  'selections of killed workers lose and double nothing: room for %i',
  { timeout: 300_000 },
  async (capacity) => {
    const session = new Session(`selections, killed, ${capacity}`);
    const { random } = session;
    const arena = Arena.create({ maxPages: 1024 });
    const region = Region.create(4 * WORDS, { arena });
    const words = region.int32;
    const buffers = [0, 1].map(() => BoundedBuffer.create({ arena, codec: 'int32', capacity }));
    const permits = Semaphore.create(PERMITS, { arena, max: PERMITS });
    const alive = new Map<Worker, { readonly role: Life['role']; readonly begun: Promise<unknown> }>();
    const failures: unknown[] = [];
    let [lives, interrupted] = [0, 0];

    const start = (role: Life['role']): void => {
      const data: Life = {
        buffers: buffers.map(({ handle }) => handle),
        permits: permits.handle,
        words: region.handle,
        role,
        life: lives++,
        seed: random.below(2 ** 31),
      };
      const worker = new Worker(JOB, { workerData: data, execArgv: [] });
      arena.watch(worker, { onReclaim: ({ buffersInterrupted }) => (interrupted += buffersInterrupted.length) });
      worker.on('error', (failure) => failures.push(failure));
      worker.once('exit', () => alive.delete(worker));
      alive.set(worker, { role, begun: once(worker, 'message') });
    };

    for (const role of ROLES) start(role);
    const deaths = soakSize(10, 150);
    for (let death = 0; death < deaths; death++) {
      const [worker, { role, begun }] = random.pick([...alive]);
      await begun;
      await sleep(10 + random.below(40));
      await worker.terminate();
      start(role);
    }
    await Promise.all([...alive.values()].map(({ begun }) => begun));
    await sleep(soakSize(200, 2000));
    Atomics.store(words, 0, 1);
    const exits = [...alive.keys()].map((worker) => once(worker, 'exit'));
    for (const buffer of buffers) await buffer.closeAsync();
    await Promise.all(exits);
    expect(failures).toEqual([]);

    for (const buffer of buffers) for (const value of buffer) Atomics.add(words, TAKEN + value, 1);
    let [taken, again, lost, moved] = [0, 0, 0, 0];
    for (let life = 0; life < Math.min(lives, LIVES); life++) {
      for (let n = 0; n < MOST; n++) {
        const times = Atomics.load(words, TAKEN + life * MOST + n);
        taken += Math.min(times, 1);
        again += Math.max(times - 1, 0);
        if (n < Atomics.load(words, KNOWN + life) && times === 0) lost += 1;
      }
    }
    for (const { pushed } of buffers) moved += pushed;
    session.done(moved, `${deaths} deaths, ${interrupted} in the middle of a copy, ${again} begun twice`);
    expect({ lost, taken, popped: buffers.map(({ popped }) => popped) }).toEqual({
      lost: 0,
      taken: moved,
      popped: buffers.map(({ pushed }) => pushed),
    });
    // A consumer that is killed in the middle of a take has begun it. The next consumer begins it again.
    expect(again).toBeLessThanOrEqual(interrupted);
    expect([permits.available, permits.waiting]).toEqual([PERMITS, 0]);
    expect(buffers.map((buffer) => buffer.inspect().consumers)).toEqual([[], []]);
  },
);
