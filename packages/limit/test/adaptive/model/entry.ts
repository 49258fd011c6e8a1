// The sources that the models of an adaptive limit use, as one entry. A mutant is a bundle of this entry with one edit.

export * from '../../model/entry.ts';
export { SharedEstimate } from '../../../src/adaptive/shared-estimate.ts';
export { Tuner } from '../../../src/adaptive/tuner.ts';
