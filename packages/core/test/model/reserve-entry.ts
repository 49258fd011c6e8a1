// The entry of the checks of the reserve. A mutant is this entry bundled with one line changed.

export { contextOf } from '../../src/arena/arena.ts';
export { Arena, Semaphore } from '../../src/index.ts';
