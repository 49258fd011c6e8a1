// What models need of the sources, behind one entry: mutants are made by bundling it with one line changed.

export * from '../../../core/test/model/entry.ts';
export { mutexAt, type Mutex } from '../../src/mutex.ts';
export { recursiveMutexAt, type RecursiveMutex } from '../../src/recursive-mutex.ts';
