// @ts-check
// The tasks of a stream whose workers are killed.
import { Region } from '@sluice/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';

/**
 * `deaths`: how often its worker dies of it before it ends. `fails`: it throws after that.
 * @typedef {{ readonly n: number, readonly deaths: number, readonly fails: boolean, readonly sleeps: boolean }} Item
 */

const runs = Region.from(workerData).int32;

/** @param {Item} item */
export default async function work({ n, deaths, fails, sleeps }) {
  const before = Atomics.add(runs, n, 1);
  if (sleeps) await sleep(1);
  if (before < deaths) process.exit(1);
  if (fails) throw new Error(`item ${n} fails`);
  return 3 * n;
}
