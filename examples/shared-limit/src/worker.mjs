// One of the workers: asks for everything at once, and a limit says when.
import { Semaphore } from '@sluice/core';
import { createLimit } from '@sluice/limit';
import pLimit from 'p-limit';
import { workerData } from 'node:worker_threads';
import { get } from './get.mjs';

/** @type {import('./run.mjs').Job} */
const { url, requests, most, shared, ready, start } = workerData;

const limit = shared === undefined ? pLimit(most) : createLimit.from(shared);

Semaphore.from(ready).release();
Semaphore.from(start).acquire();
await Promise.all(Array.from({ length: requests }, () => limit(get, url)));
