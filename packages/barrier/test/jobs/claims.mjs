// @ts-check A worker that claims parts of a latch, counts down some of them, and ends or is killed in between.
import { CountdownLatch } from '@sluice/barrier';
import { Region } from '@sluice/core';
import { exit } from 'node:process';
import { workerData } from 'node:worker_threads';

/**
 * @typedef {{ latch: import('@sluice/barrier').CountdownLatchHandle, marks: import('@sluice/core').RegionHandle, index:
 *   number, parts: number, paid: number, end: 'exit' | 'killed' }} ClaimsData
 */

const { latch: handle, marks: region, index, parts, paid, end } = /** @type {ClaimsData} */ (workerData);
const latch = CountdownLatch.from(handle);
const marks = Region.from(region).int32;
latch.claim(parts);
Atomics.store(marks, index, 1);
Atomics.notify(marks, index);
for (let part = 0; part < paid; part++) latch.done();
if (end === 'exit') exit();
// The kill comes while this worker adds, counts down or waits.
for (;;) {
  latch.add();
  latch.claim();
  latch.done();
  latch.tryWait(0.01);
}
