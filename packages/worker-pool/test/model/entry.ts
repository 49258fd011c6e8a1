// What models need of the sources, behind one entry: mutants are made by bundling it with one line changed.

export * from '../../../core/test/model/entry.ts';
export { Claims } from '../../src/claims.ts';
export { Bell } from '../../src/bell.ts';
