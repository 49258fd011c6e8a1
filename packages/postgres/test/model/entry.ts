// The entry of the comparison. A mutant is this entry bundled with one line changed.

export { placeOf } from '../../src/store/place.ts';
export { runSteps } from '../../src/store/run-steps.ts';
