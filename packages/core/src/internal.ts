// Exports for the other @sluice packages, which share core's arena, kernel and wait loops. Not a public API: it may
// change with every version.

export { contextOf } from './arena/arena.ts';
export type { PrimitiveHandle } from './memory/handle.ts';
export {
  checkNotFreed,
  checkOpened,
  chosenArena,
  createBlock,
  findPrimitive,
  freePrimitive,
  handleTo,
  openPrimitive,
  openWithPolicy,
  type NewBlock,
} from './primitive/block.ts';
export { Primitive, type Naming } from './primitive/primitive.ts';
export type { BlockRef } from './arena/block-ref.ts';
export { newTag, tagAt } from './memory/tags.ts';
export { checkLength } from './agent/compaction.ts';
export { asCorrupt, corrupt, orCorrupt } from './memory/corrupt.ts';
export { isElement } from './agent/is-element.ts';
export { retryOrThrow, retryWhileRaced } from './memory/retry.ts';
export { readName } from './memory/name.ts';
export type { TimedChecks, AgentContext, LineState } from './agent/agent-context.ts';
export { Attempts, type AttemptOutcome } from './line/attempts.ts';
export { enterBucket, leaveBucket, sleepAtGate } from './line/element-gate.ts';
export { awaitAtBucket, waitAtBucket, type BucketSpot } from './line/chain-wait.ts';
export { publishAsyncWait, withdrawAsyncWait, type Claim } from './line/condition-claim.ts';
export { sleepOnWord, watchWord } from './line/word-wait.ts';
export { napOnWord, napOnWordAsync } from './line/word-nap.ts';
export { kernelIdOf, kernelModule, type Kernel } from './kernel/kernel.ts';
export type { KernelSource } from './kernel/kernel.ts';
export { ownRun, storeRun, type Words } from './kernel/words.ts';
export {
  kindCode,
  type Kind,
  type KindAgent,
  type KindSteps,
  type LineSteps,
  type WaitEnd,
} from './agent/kind.ts';
export { LockHealth } from './memory/lock-health.ts';
export { EntryDelay, type Flow } from './line/entry-delay.ts';
export { isAwaited } from './locks/awaited.ts';
export { LOCK_POSITION, positionAt, type Position } from './locks/lock-position.ts';
export { FLAT, LOCK_LINE, type LockLine } from './locks/lock-line.ts';
export {
  createOwnedLock,
  BlockEntrance,
  type LockOptions,
  type LockShape,
  type LockTraits,
} from './locks/block-entrance.ts';
export { createPermits, SemaphoreBlock, type PermitsBehaviour } from './semaphore/semaphore-block.ts';
export { Waitable } from './locks/waitable.ts';
export { createLine, PrimitiveLine, type LineShape } from './locks/primitive-line.ts';
export { deadlineIn, leftUntil, mayBlock } from './agent/parking.ts';
export { acquireFor, semaphoreAt } from './semaphore/semaphore.ts';
export { WaitLine, type EnterOrEnqueue } from './locks/wait-line.ts';
export {
  PrimitiveErrors,
  PermitErrors,
  type ErrorShape,
  type Blame,
  type WaitErrors,
  withCallTimeout,
} from './error-text/primitive-errors.ts';
export { countIn, holdersOf, recordedAt, type LineRef } from './error-text/blockers.ts';
export { titleOf } from './error-text/title.ts';
export { PermitLock } from './semaphore/permit-lock.ts';
export { notingPlaces, rejoin } from './agent/left-places.ts';
export { observer, tellHeld, tellOpened, unfollowed } from './agent/observer.ts';
export { blockInLine, endOfWait, leaveLine, sleepInLine, sleepParked, spinIfItPays, wakeNext } from './line/line.ts';
export { awaitInLine, takeInLine, type Asked } from './line/line-async.ts';
export { perLineState } from './primitive/per-line-state.ts';
export { AsyncWait, AsyncWaits } from './agent/async-waits.ts';
export { Sleeper } from './line/sleeper.ts';
export { finishPending, recordOf } from './recovery/claim-dead-agent.ts';
export { OwnTurn, turnChecks, turnToTake, type TurnTraits } from './locks/turn.ts';
