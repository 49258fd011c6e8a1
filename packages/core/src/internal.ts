// For the other @sluice packages only, which share core's arena, kernel and wait loops. Not a public API: it may change with
// every version.

export { contextOf } from './arena/arena.ts';
export type { PrimitiveHandle } from './arena/handle.ts';
export {
  checkNotFreed,
  checkPlace,
  chosenArena,
  createPrimitive,
  findPrimitive,
  freePrimitive,
  handleTo,
  loadKind,
  openPrimitive,
  tagOfLine,
  type Place,
} from './arena/primitive.ts';
export { newTag } from './arena/tags.ts';
export { blocks } from './arena/blocks.ts';
export { checkLength } from './arena/compaction.ts';
export { asCorrupt, corrupt, orCorrupt } from './arena/corrupt.ts';
export { isElement } from './drawn.ts';
export { mayRetry, untilWon } from './arena/retry.ts';
export { entries } from './arena/records.ts';
export { readName, writeName } from './arena/name.ts';
export type { Patrol, AgentContext, LocalState } from './arena/agent-context.ts';
export { allHoldings, allWaiting, ownerOfLock, ownerOrReceiver, roleOf } from './arena/holders-and-waiters.ts';
export { heldEntries, isHeld, isUsed, isWaitedFor } from './arena/in-use.ts';
export { enterBucket, gateOpens, leaveBucket, passOnWake, sleepAtGate } from './channel/gate.ts';
export { awaitAtBucket, waitAtBucket, type BucketSpot } from './channel/until.ts';
export { countWithoutTicket, list, unlist, waitersWithoutTicket, type Claim } from './channel/waiting.ts';
export { sleepOnWord, watchWord } from './channel/word.ts';
export { checkAsyncBody, checkBody, isAsyncBody, isThenable, refusePromise, reportRejection } from './body.ts';
export { checkFlag, checkFunction, checkInteger, checkObject, checkOptions, checkTimeout, checkWellFormed, FROM_OPTIONS, MAX_PERMITS, PERMIT_CALLS, PLACED_OPTIONS, show } from './check.ts';
export { keepAlive, letGo, LONGEST_MS, setRef } from './keep-alive.ts';
export { kernelIdOf, kernelModule, kernelModules, type Kernel, type KernelModules } from './kernel/kernel.ts';
export * from './kernel/addresses.ts';
export type { KernelSource } from './kernel/kernel.ts';
export { ownRun, storeRun, type Words } from './kernel/words.ts';
export { kindCode, kindText, type Kind, type KindAgent, type KindSteps, type LineSteps, type LoadedKind, type RecoverySteps } from './kind.ts';
export * from './kernel/layout.ts';
export * from './kernel/states.ts';
export { slotStride, type SlotPlan, type Slots } from './byte-slots.ts';
export { packedForSlots, slotsFor } from './slots.ts';
export { codecOf, fixedBytes, isBuiltInCodec, packedBy, packedFor, RefusedValue, type CodecName, type ValueCodec } from './value-codec.ts';
export { LockHealth } from './lock-health.ts';
export { Loop } from './loop.ts';
export { threadBudget } from './loop-budget.ts';
export { Looks, type Flow } from './looks.ts';
export { CREATE_WITH_DATA, FLAT, LOCK_LINE, OPEN_AT, type LockLine } from './lock-line.ts';
export { checkSignal, offAbort, onAbort, reasonOf, throwIfAborted } from './on-abort.ts';
export { createOwnedLock, PlacedLock, type LockOptions, type LockShape, type LockTraits } from './placed-lock.ts';
export { createPermits, PlacedPermits, type PermitsManner } from './placed-permits.ts';
export { createLine, openLine, PlacedLine, PlacedWaits, type LineShape } from './placed-line.ts';
export { mayBlock } from './parking.ts';
export { AdaptiveBudget, mergePolicy } from './policy.ts';
export { acquireFor, semaphoreAt } from './semaphore.ts';
export { Bouncer, type Entered, type QueueBehaviour, type Visit } from './semaphore/bouncer.ts';
export { Account, PermitsWanted, type AccountShape, type Blame, type Wanted } from './account/account.ts';
export { permitsAccount } from './semaphore/account.ts';
export { countIn, holdersOf, recordedAt, type Line } from './account/waits-for.ts';
export { MOST_RECORDS, type Counted } from './account/counted.ts';
export { plural, titleOf } from './account/title.ts';
export { refuseToBlock, rejected, overMax } from './semaphore/failures.ts';
export { checkWait, WAIT_OPTIONS } from './wait-options.ts';
export { PermitForms } from './semaphore/forms.ts';
export { holdersOnce, permitFields, reportLine, reportSemaphore, type LineReport } from './semaphore/report.ts';
export { notingPlaces, rejoin } from './arena/left-places.ts';
export { blockInLine, endOfWait, leaveLine, sleepInLine, spinIfItPays, wakeNext } from './semaphore/line.ts';
export { awaitInLine, takeInLine, type Asked } from './semaphore/line-async.ts';
export { dispose } from './lock.ts';
export { INSPECT, oneLine } from './one-line.ts';
export { refusePosting } from './unpostable.ts';
export { reserveStack } from './reserve-stack.ts';
export { wrongInstance } from './wrong-instance.ts';
export { asError, errorsOf, isArrayBuffer, isError, isMemory, isSharedBuffer, isUint8Array, messageOf, typedArrayName } from './realm.ts';
export { now } from './clock.ts';
export { ofLocalState } from './of-local-state.ts';
export { setAlarm, type Alarm } from './alarm.ts';
export { decodeText, encodeText } from './utf8.ts';
export { AsyncWait, AsyncWaits } from './arena/async-waits.ts';
export { Sleeper } from './channel/sleeper.ts';
export { finishPending, recordOf } from './arena/reclaim.ts';
export { ownerDiedIn, RUN_OPTIONS, waitIn } from './owner-died.ts';
export { threadClock, type Clock } from './thread-clock.ts';
export { MUTEX_TRAITS, OwnTurn, turnToTake, waitersInTurns, type TurnTraits } from './turn.ts';
