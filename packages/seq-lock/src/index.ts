export type { SeqLockOptions } from './options.ts';
export type { SeqLockReport } from './report.ts';
export { SeqLock, type SeqLockHandle } from './seq-lock.ts';
export type { SeqSnapshot } from './snapshot.ts';
export type { SeqValue } from './value.ts';
