export type { LockOptions } from '@sluice/core/internal';
export { LifoLock, type LifoLockHandle } from './lifo-lock.ts';
export { McsLock, type McsLockHandle } from './mcs-lock.ts';
export { ReciprocatingLock, type ReciprocatingLockHandle } from './reciprocating-lock.ts';
export type { Consistency, LockReport } from './report.ts';
export { TicketLock, type TicketLockHandle } from './ticket-lock.ts';
export { TtsLock, type TtsLockHandle } from './tts-lock.ts';
