// @ts-check
// What a worker costs that does nothing: what it was given arrives all the same.
import { workerData } from 'node:worker_threads';

if (workerData === null) throw new Error('The worker was given nothing.');
