// The entry of the models of a cache's single flight. A mutant is this entry bundled with one line changed.

export { Computations } from '../../src/computations.ts';
