// @ts-check
// A program that waits for nothing.
import { Semaphore } from '@sluice/core';

const jobs = Semaphore.create(1, { name: 'jobs' });
jobs.run(() => console.log('done'));
