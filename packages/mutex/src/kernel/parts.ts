// The parts of the mutex's kernel from which another kind's kernel is made: the entry '@sluice/mutex/kernel'.

export { enqueueAtMutex, handOver } from './mutex.ts';
export { cancelDeadMutexWait, cancelMutexWait, pollMutex } from './waiter.ts';
