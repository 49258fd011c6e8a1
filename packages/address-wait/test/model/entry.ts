// The sources that models use, as one entry: a mutant is a bundle of it with one edit.

export * from '../../../core/test/model/entry.ts';
export { enterBucket, leaveBucket } from '../../../core/src/line/gate.ts';
export * from '../../src/index.ts';
