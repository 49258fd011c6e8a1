// @ts-check
import { Semaphore } from '@sluice/core';
import { MessageChannel, Worker } from 'node:worker_threads';
import { receive, send } from '../lib/exchange.mjs';
import { main } from '../lib/jobs.mjs';
import { quantileSorted } from '../lib/statistics.mjs';

/** The first samples of a way meet code that is not compiled yet; they are not counted. */
const warmUps = 10;

/** @typedef {'to worker' | 'to main'} Direction */
/** @typedef {{ kind: import('../lib/exchange.mjs').Kind, direction: Direction }} Way */
/** @typedef {{ samples: number, paceMillis: number, ways: Way[] }} LatencySpecification */
/** @typedef {Way & { p50Micros: number, p95Micros: number }} LatencyResult */

/**
 * @param {Way} way
 * @param {Omit<LatencySpecification, 'ways'>} settings
 * @returns {Promise<LatencyResult>}
 */
async function measureWay({ kind, direction }, { samples: counted, paceMillis }) {
  const samples = counted + warmUps;
  const semaphore = Semaphore.create(0);
  const buffers = {
    word: new SharedArrayBuffer(4),
    progress: new SharedArrayBuffer(4),
    sentAt: new SharedArrayBuffer(8 * samples),
    wokenAt: new SharedArrayBuffer(8 * samples),
  };
  const { port1: port, port2 } = new MessageChannel();
  const worker = new Worker(new URL('../workers/latency.mjs', import.meta.url), {
    workerData: {
      kind,
      samples,
      paceMillis,
      handle: semaphore.handle,
      buffers,
      port: port2,
      sends: direction === 'to main',
    },
    transferList: [port2],
  });
  const ended = new Promise((resolve, reject) => {
    worker.once('exit', resolve);
    worker.once('error', reject);
  });
  const sentAt = new Float64Array(buffers.sentAt);
  const wokenAt = new Float64Array(buffers.wokenAt);
  const words = { word: new Int32Array(buffers.word), progress: new Int32Array(buffers.progress) };
  const exchange = { kind, semaphore, port, ...words, sentAt, wokenAt, samples, paceMillis };
  await Promise.race([ended, direction === 'to worker' ? send(exchange) : receive(exchange)]);
  await ended;
  port.close();
  const micros = Array.from(wokenAt, (woken, i) => (woken - Number(sentAt[i])) * 1000)
    .slice(warmUps)
    .sort((a, b) => a - b);
  return { kind, direction, p50Micros: quantileSorted(micros, 0.5), p95Micros: quantileSorted(micros, 0.95) };
}

await main(
  /** @param {LatencySpecification} specification */
  async ({ ways, ...settings }) => {
    const results = [];
    for (const way of ways) results.push(await measureWay(way, settings));
    return results;
  },
);
