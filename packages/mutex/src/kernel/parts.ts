// The parts of the mutex's kernel from which another kind's kernel is made: the entry '@sluice/mutex/kernel'.

export { moveFirst, type LockOfCondition } from '../condition/kernel/move.ts';
export { NEVER_TAKES } from './layout.ts';
export { enqueueAtMutex, handOver, lockInTurn, unlockInTurn } from './mutex.ts';
export { cancelMutexWait, makeDue, parkMutex, pollMutex } from './waiter.ts';
