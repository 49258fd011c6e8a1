// The parts of the core's kernel from which a kind's kernel is made: the entry '@sluice/core/kernel'. docs/new-primitive.md shows how.

export { acquire, adopt, announce, beginPost, credit, debit, queue, tryAcquire } from './admit.ts';
export { cancelAt, cancelDeadAt, draw, pollAt, restoreAt, type BoxOffice, type RecordedOffice } from './bouncer.ts';
export { bucketOf, detach, discard } from './chain.ts';
export { cancelCompeting, cancelDeadCompeting, freeWord, parkCompeting, pollCompeting, takeOrEnqueue, takeWord, wakeOrFree } from './competing.ts';
export { guard, unguard } from './guard.ts';
export * from './layout.ts';
export { freeOwned, hasNotice, isUnseen, markUnseen, NOTICE, orphan, ownerOf, takeFree } from './owner.ts';
export * from './states.ts';
export { isFreed, isShut, progress } from './wait.ts';
export * from './words.ts';
