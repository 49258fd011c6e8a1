// For @sluice/classics only: these exports may change in any version.

export { CompositeSemaphore } from './composite-semaphore.ts';
export { SemaphoreBase, type Membership, type SemaphoreTraits } from './semaphore-base.ts';
