// The parts of the mutex's kernel from which another kind's kernel is made: the entry '@sluice/mutex/kernel'.

export { cancelDeadMutexWait, cancelMutexWait, enqueueAtMutex, handOver, pollMutex } from './mutex.ts';
