// @ts-check
// A worker holds a lock. Three tasks of the main thread stand in line, and the metrics show them.
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider } from '@opentelemetry/sdk-metrics';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { Semaphore } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { recordSluice } from './metrics.mjs';
import { print } from './print.mjs';

const TASKS = 3;

// A program that runs for longer has an exporter of its backend here. A worker that is to be measured does the same.
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
const provider = new MeterProvider({ readers: [reader] });
recordSluice(provider.getMeter('sluice'));

const accounts = Mutex.create({ name: 'accounts' });
const enough = Semaphore.create(0, { name: 'enough' });

const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
  workerData: { accounts: accounts.handle, enough: enough.handle },
});
accounts.arena.watch(worker);
const exit = once(worker, 'exit');
await once(worker, 'message');

const tasks = Array.from({ length: TASKS }, () => accounts.runAsync(() => undefined));
console.log(`while the worker holds the lock, and ${TASKS} tasks wait`);
await provider.forceFlush();
print(exporter);

enough.release();
await Promise.all(tasks);
console.log('after the tasks');
await provider.forceFlush();
print(exporter);

await exit;
await provider.shutdown();
