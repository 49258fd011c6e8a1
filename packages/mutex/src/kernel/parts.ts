// The entry '@sluice/mutex/kernel': the parts of the mutex's kernel that kernels of other kinds import.

export { NEVER_TAKES } from './layout.ts';
export { enqueueAtMutex, handOver, lockInTurn, unlockInTurn } from './mutex.ts';
export { cancelMutexWait, makeDue, parkMutex, pollMutex } from './waiter.ts';
