// The sources that the checks of the shared place use, as one entry. A mutant is a bundle of this entry with one edit.

export { Arena } from '../../../../core/src/index.ts';
export { MultilaneSemaphore } from '../../../src/index.ts';
export { SharedPlace } from '../../../src/semaphores/shared-place.ts';
