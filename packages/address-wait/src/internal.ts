// For @sluice/semaphores; not for anybody else: what is here may change with every version.

export { awaitAtBucket, waitAtBucket } from './address-wait.ts';
export type { Spot } from './key.ts';
export { waitAtLocation } from './location-wait.ts';
