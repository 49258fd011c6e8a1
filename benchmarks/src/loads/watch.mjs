// @ts-check
import { WatchCell } from '@sluice/broadcast';
import { once } from 'node:events';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import { oneByOne, repeat } from '../lib/side-by-side.mjs';

/** A state as programs share it: some dozens of bytes of JSON. @param {number} done */
export const stateOf = (done) => ({ done, of: 1_000_000, phase: 'copy' });

/** @param {unknown} workerData */
async function startWorker(workerData) {
  const worker = new Worker(new URL('../workers/watch.mjs', import.meta.url), { workerData });
  await once(worker, 'message');
  return worker;
}

/** @type {readonly import('../lib/side-by-side.mjs').Load[]} */
export const loads = [
  {
    name: 'report',
    what: 'a worker listens, and the main thread reports a state, until the worker has the last one',
    calls: 50_000,
    subjects: {
      BroadcastChannel: async () => {
        const worker = await startWorker({ kind: 'channel' });
        const channel = new BroadcastChannel('state');
        return async (calls) => {
          repeat(calls - 1, () => channel.postMessage(stateOf(1)));
          channel.postMessage(stateOf(0));
          await once(worker, 'message');
        };
      },
      postMessage: async () => {
        const worker = await startWorker({ kind: 'port' });
        return async (calls) => {
          repeat(calls - 1, () => worker.postMessage(stateOf(1)));
          worker.postMessage(stateOf(0));
          await once(worker, 'message');
        };
      },
      'WatchCell.set': async () => {
        const cell = WatchCell.create(stateOf(1));
        const worker = await startWorker({ kind: 'cell', handle: cell.handle });
        return async (calls) => {
          repeat(calls - 1, () => cell.set(stateOf(1)));
          cell.set(stateOf(0));
          await once(worker, 'message');
        };
      },
    },
  },
  {
    name: 'echo',
    what: 'a state to a worker and back, one after the other',
    calls: 10_000,
    subjects: {
      postMessage: async () => {
        const worker = await startWorker({ kind: 'echo-port' });
        return (calls) =>
          oneByOne(calls, () => {
            worker.postMessage(stateOf(1));
            return once(worker, 'message');
          });
      },
      'WatchCell, the worker blocks': async () => {
        const [there, back] = [WatchCell.create(stateOf(0)), WatchCell.create(stateOf(0))];
        await startWorker({ kind: 'echo-cell', handle: there.handle, back: back.handle });
        back.get();
        return (calls) =>
          oneByOne(calls, () => {
            there.set(stateOf(1));
            return back.changedAsync();
          });
      },
    },
  },
  {
    name: 'get',
    what: 'the newest state, which has not changed',
    calls: 500_000,
    subjects: {
      'JSON.parse': () => {
        const text = JSON.stringify(stateOf(1));
        return (calls) => repeat(calls, () => JSON.parse(text));
      },
      'WatchCell.get': () => {
        const cell = WatchCell.create(stateOf(1));
        return (calls) => repeat(calls, () => cell.get());
      },
      'WatchCell.get of an int32': () => {
        const cell = WatchCell.create(1, { codec: 'int32' });
        return (calls) => repeat(calls, () => cell.get());
      },
    },
  },
];
