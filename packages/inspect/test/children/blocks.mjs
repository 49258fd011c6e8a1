// @ts-check
// The main thread blocks for ever.
import { Semaphore } from '@sluice/core';

Semaphore.create(0, { name: 'jobs' }).acquire();
