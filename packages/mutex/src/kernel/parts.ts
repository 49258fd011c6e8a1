// The parts of the mutex's kernel from which another kind's kernel is made: the entry '@sluice/mutex/kernel'.

export { DEPTH } from './layout.ts';
export { enqueueAtMutex, handOver } from './mutex.ts';
export { countAtMutex } from './transfer.ts';
export { cancelDeadMutexWait, cancelMutexWait, pollMutex } from './waiter.ts';
