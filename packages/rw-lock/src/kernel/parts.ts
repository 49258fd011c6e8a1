// The parts of the read-write lock's kernel from which another kind's kernel is made: the entry '@sluice/rw-lock/kernel'.

export { countWriter } from './transfer.ts';
