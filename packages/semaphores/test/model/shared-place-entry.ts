// What the checks of the shared place need of the source, behind one entry: mutants are made by bundling it with one
// line changed.

export { Arena } from '../../../core/src/index.ts';
export { MultilaneSemaphore } from '../../src/index.ts';
export { SharedPlace } from '../../src/shared-place.ts';
