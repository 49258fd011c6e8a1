// For @sluice/semaphores; not for anybody else: what is here may change with every version.

export { waitAtLocation } from './location-wait.ts';
