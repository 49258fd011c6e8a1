// For the packages of this family, which share core's arena, kernel and waiting; not for anybody else: what is here may
// change with every version.

export { seatOf } from './arena/arena.ts';
export { postTheHandleInstead, type PrimitiveHandle } from './arena/handle.ts';
export {
  checkNotFreed,
  checkPlace,
  chosenArena,
  createPrimitive,
  findPrimitive,
  freePrimitive,
  handleTo,
  tagOfLine,
  type Place,
} from './arena/primitive.ts';
export { newTag } from './arena/heap.ts';
export { readName, writeName } from './arena/name.ts';
export type { Patrol, Seat, Standing } from './arena/seat.ts';
export { allHoldings, allWaiting, ownerOfMutex } from './arena/standings.ts';
export { enterBucket, gateOpens, leaveBucket, passOnWake, sleepAtGate } from './channel/gate.ts';
export { awaitAtBucket, waitAtBucket, type BucketSpot } from './channel/until.ts';
export { waitersWithoutTicket, type Claim } from './channel/waiting.ts';
export { sleepOnWord, watchWord } from './channel/word.ts';
export { checkFlag, checkFunction, checkInteger, checkOptions, checkTimeout, MAX_PERMITS, PLACED_OPTIONS, show } from './check.ts';
export { LONGEST_MS, setRef } from './keep-alive.ts';
export type { Kernel } from './kernel/kernel.ts';
export type { Words } from './kernel/words.ts';
export * from './kernel/layout.ts';
export { FIRST_POSITION } from './kernel/buffer.ts';
export { visits } from './kernel/multilane.ts';
export { MOST_DEPTH } from './kernel/mutex.ts';
export * from './kernel/states.ts';
export { LockHealth } from './lock-health.ts';
export { offAbort, onAbort } from './on-abort.ts';
export { createLock, PlacedLock, type LockOptions, type LockShape } from './placed-lock.ts';
export { mayBlock } from './parking.ts';
export { Bet, mergePolicy } from './policy.ts';
export { semaphoreAt } from './semaphore.ts';
export { Bouncer, type Manner, type Visit } from './semaphore/bouncer.ts';
export { refuseToBlock, rejected, timedOut, deadlock, overMax } from './semaphore/failures.ts';
export { checkWait } from './semaphore/options.ts';
export { PermitForms } from './semaphore/forms.ts';
export { reportLine, reportSemaphore, type LineReport } from './semaphore/report.ts';
export { leaveLine, spinIfItPays, wakeNext } from './semaphore/line.ts';
export { awaitInLine, blockInLine, endOfWait } from './semaphore/waits.ts';
export { ofStanding } from './of-standing.ts';
