// What the model of a mutant is built from.

export { Space } from '../../src/space.ts';
