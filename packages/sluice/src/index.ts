// All that Node.js can use. Pages get `page.ts`: they have no worker threads. `@sluice/redis` needs a client of a
// server.

export * from './page.ts';
export * from '@sluice/worker-pool';

// Several packages have types of these names.
export type { RunOptions } from '@sluice/core';
export type { RunOptions as PoolRunOptions } from '@sluice/worker-pool';
