// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

export * from '../../../core/test/model/entry.ts';
export { enterBucket, leaveBucket } from '../../../core/src/line/element-gate.ts';
export * from '../../src/index.ts';
export { parkAt, unparkAt } from '../../src/park.ts';
