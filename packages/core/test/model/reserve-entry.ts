// What the checks of the reserve need of the source, behind one entry: mutants are made by bundling it with one line
// changed.

export { contextOf } from '../../src/arena/arena.ts';
export { Arena, Semaphore } from '../../src/index.ts';
