// @ts-check
// The main thread blocks until a worker releases, three times: with a timer or a server, or with nothing else to do.
import { Semaphore } from '@sluice/core';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { argv } from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** @type {{ asked: import('@sluice/core').SemaphoreHandle, given: import('@sluice/core').SemaphoreHandle }} */
const handles = workerData;

async function main() {
  const [asked, given] = [Semaphore.create(0), Semaphore.create(0, { name: 'given' })];
  const worker = new Worker(new URL(import.meta.url), { workerData: { asked: asked.handle, given: given.handle } });
  await once(worker, 'online');
  const timer = argv[2] === 'timer' ? setInterval(() => undefined, 60_000) : undefined;
  const server = argv[2] === 'server' ? createServer().listen(0, '127.0.0.1') : undefined;
  if (server !== undefined) await once(server, 'listening');
  // Uncontended: it never parks.
  given.release();
  given.acquire();
  console.log('uncontended');
  for (let round = 0; round < 3; round++) {
    asked.release();
    given.acquire();
  }
  console.log('parked', (given.arena.inspect().agents[0]?.wakeUps ?? 0) > 0);
  clearInterval(timer);
  server?.close();
}

function serve() {
  const [asked, given] = [Semaphore.from(handles.asked), Semaphore.from(handles.given)];
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (let round = 0; round < 3; round++) {
    asked.acquire();
    // Until the main thread is in line, and then for longer than it spins.
    while (given.waiting === 0);
    Atomics.wait(nothing, 0, 0, 50);
    given.release();
  }
}

if (isMainThread) void main();
else serve();
