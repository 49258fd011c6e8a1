// @ts-check
// A program with a core of its own, and a mutex package that brings another copy of the core. A worker takes a lock
// through each copy, and dies.
import { Arena, Semaphore } from '@sluice/core';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** @param {string} folder */
async function nestedMutex(folder) {
  const { Mutex } = /** @type {typeof import('@sluice/mutex')} */ (
    await import(pathToFileURL(join(folder, 'node_modules/@sluice/mutex/dist/index.js')).href)
  );
  return Mutex;
}

/** @param {string} folder */
function install(folder) {
  for (const name of ['core', 'mutex']) {
    for (const part of ['dist', 'package.json']) {
      const from = fileURLToPath(new URL(`../../../${name}/${part}`, import.meta.url));
      cpSync(from, join(folder, 'node_modules/@sluice', name, part), { recursive: true });
    }
  }
}

if (isMainThread) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nested-'));
  try {
    install(folder);
    const Mutex = await nestedMutex(folder);
    const mutex = Mutex.create({ name: 'accounts' });
    const permits = Semaphore.create(1);
    console.log(
      `one default arena: ${String(mutex.arena.id === permits.arena.id)}, two agents: ${String(mutex.arena.agentId !== permits.arena.agentId)}`,
    );
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { folder, mutex: mutex.handle, permits: permits.handle },
    });
    /** @type {import('@sluice/core').ReclaimReport[]} */
    const reports = [];
    Arena.default().watch(worker, { onReclaim: (report) => reports.push(report) });
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
    console.log(
      `agents: ${reports.length}, permits: ${permits.available}, pending:`,
      reports.flatMap(({ pending }) => pending.map(({ name }) => name)),
    );
    try {
      console.log('tryLock:', mutex.tryLock());
    } catch (failure) {
      console.log('tryLock:', /** @type {{ code: string }} */ (failure).code);
    }
    console.log('agents left:', mutex.arena.inspect().agents.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
} else {
  const { folder, mutex, permits } = workerData;
  const Mutex = await nestedMutex(folder);
  Semaphore.from(permits).acquire();
  Mutex.from(mutex).lock();
  parentPort?.postMessage('holds both');
}
