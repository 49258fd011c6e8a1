// The parts of the core's kernel from which a kind's kernel is made: the entry '@sluice/core/kernel'. docs/new-primitive.md shows how.

export { acquire, adopt, announce, beginPost, credit, debit, queue, tryAcquire } from './admit.ts';
export { cancelAt, cancelDeadAt, draw, pollAt, restoreAt, type BoxOffice, type RecordedOffice } from './bouncer.ts';
export { guard, unguard } from './guard.ts';
export * from './layout.ts';
export { hasNotice, isUnseen, markUnseen, NOTICE, orphan, ownerOf } from './owner.ts';
export * from './states.ts';
export { isFreed, isShut, progress } from './wait.ts';
export * from './words.ts';
