// @ts-check
// Kills workers at random moments of acquire and release, and prints the free permits. The flags of this process
// determine how V8 compiles the kernel.
import { Arena, Semaphore } from '@sluice/core';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const PERMITS = 2;

if (isMainThread) void kill(Number(process.argv[2]), Number(process.argv[3]));
else live();

function live() {
  const sem = Semaphore.from(workerData);
  parentPort?.postMessage('begins');
  for (let round = 0; ; round++) {
    const permits = 1 + (round % PERMITS);
    if (round % 3 === 0) {
      if (!sem.tryAcquire(permits, round % 2)) continue;
    } else sem.acquire(permits);
    sem.release(permits);
  }
}

/** @param {number} kills @param {number} seed */
async function kill(kills, seed) {
  const arena = Arena.create({ maxPages: 16 });
  const sem = Semaphore.create(PERMITS, { arena });
  let state = seed;
  const random = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const born = async () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: sem.handle });
    arena.watch(worker);
    await once(worker, 'message');
    return worker;
  };
  const workers = await Promise.all([born(), born()]);
  for (let killed = 0; killed < kills; killed++) {
    await pause(10 * random());
    const [worker] = workers.splice(killed % workers.length, 1);
    await worker?.terminate();
    workers.push(await born());
  }
  for (const worker of workers) await worker.terminate();
  const { agents, elements } = arena.inspect();
  const left = {
    free: sem.available,
    holders: sem.inspect().holders.length,
    agents: agents.length,
    waiting: elements.waiting,
  };
  process.stdout.write(JSON.stringify(left));
}
