// What models need of the sources, behind one entry: mutants are made by bundling it with one line changed.

export { hashOf } from '../../src/key.ts';
export { Table, type Ground } from '../../src/table.ts';
