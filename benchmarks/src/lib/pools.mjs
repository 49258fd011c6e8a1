// @ts-check
import { WorkerPool } from '@sluice/worker-pool';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { Tinypool } from 'tinypool';

/** @typedef {'sluice' | 'sluice sync' | 'piscina' | 'tinypool'} PoolName */

const filename = fileURLToPath(new URL('../tasks/pool.mjs', import.meta.url));

/** @param {PoolName} name @param {number} workers */
export function openPool(name, workers) {
  if (name === 'piscina')
    return new Piscina({ filename, name: 'work', minThreads: workers, maxThreads: workers, maxQueue: 10_000 });
  if (name === 'tinypool') return new Tinypool({ filename, name: 'work', minThreads: workers, maxThreads: workers });
  return new WorkerPool({ filename, name: 'work', size: workers, atomics: name === 'sluice' ? 'async' : 'sync' });
}
