// The entry '@sluice/mutex/kernel': the parts of the mutex's kernel that kernels of other kinds import.

export { NEVER_TAKES } from './layout.ts';
export { enqueueAtMutex, handOverMutex, lockMutexInTurn, unlockMutexInTurn } from './mutex.ts';
export { cancelMutexWait, makeMutexDue, parkMutex, pollMutex } from './waiter.ts';
