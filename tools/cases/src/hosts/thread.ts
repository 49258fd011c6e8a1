// A worker of node:worker_threads.

import { parentPort } from 'node:worker_threads';
import { runJob, type Order } from '../worker.ts';
import { loaderOf } from './load.ts';

parentPort?.on('message', (order: Order) => runJob(order, loaderOf, (said) => parentPort?.postMessage(said)));
