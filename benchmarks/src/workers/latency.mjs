// @ts-check
import { Semaphore } from '@sluice/core';
import { workerData } from 'node:worker_threads';
import { receive, send } from '../lib/exchange.mjs';

const { handle, port, sends, buffers, ...rest } = workerData;

const exchange = {
  ...rest,
  port,
  semaphore: Semaphore.from(handle),
  progress: new Int32Array(buffers.progress),
  sentAt: new Float64Array(buffers.sentAt),
  wokenAt: new Float64Array(buffers.wokenAt),
};

await (sends ? send(exchange) : receive(exchange));
port.close();
