// The entry of the comparison. A mutant is this entry bundled with one line changed.

export { contextOf } from '../../src/store/step-context.ts';
export { runSteps } from '../../src/store/run-steps.ts';
