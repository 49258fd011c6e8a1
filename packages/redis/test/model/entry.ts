// The entry of the models. A mutant is this entry bundled with one line changed.

export { Space } from '../../src/space.ts';
