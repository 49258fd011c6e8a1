// One of the workers: makes all its calls at once, and a limit decides when each request starts.
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
void Promise.all(Array.from({ length: requests }, () => limit(get, url)));
