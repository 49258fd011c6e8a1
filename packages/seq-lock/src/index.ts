export type { SeqLockReport } from './report.ts';
export { SeqLock, type SeqLockHandle, type SeqLockOptions } from './seq-lock.ts';
export type { SeqValue } from './value.ts';
