// Exports for the other @sluice packages, which share core's arena, kernel and wait loops. Not a public API: it may
// change with every version.

export { contextOf, openedArenas } from './arena/arena.ts';
export { listenToOpened, type OpenedArena } from './arena/opened.ts';
export { onlookerAt } from './arena/onlooker.ts';
export { arenaId, type PrimitiveHandle } from './memory/handle.ts';
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
  tagOfLine,
  type NewBlock,
} from './primitive/block.ts';
export { Primitive, type Naming } from './primitive/primitive.ts';
export type { BlockRef } from './arena/block-ref.ts';
export { newTag } from './memory/tags.ts';
export { blockOf, blocks } from './memory/blocks.ts';
export { checkLength } from './agent/compaction.ts';
export { asCorrupt, corrupt, orCorrupt } from './memory/corrupt.ts';
export { isElement } from './agent/is-element.ts';
export { retryOrThrow, retryWhileRaced } from './memory/retry.ts';
export { entries, records } from './memory/records.ts';
export { poolBlocks } from './memory/corrupt.ts';
export { ARMED_WAITS } from './agent/liveness-probe.ts';
export { PAGE_BYTES } from './memory/heap.ts';
export { readName } from './memory/name.ts';
export type { TimedChecks, AgentContext, LineState } from './agent/agent-context.ts';
export {
  allCompeting,
  allHoldings,
  allWaiting,
  isGranted,
  ownerOrReceiver,
  roleOf,
  type KindFacts,
  type Onlooker,
  type Reader,
  type WaitingRecord,
} from './report/holders-and-waiters.ts';
export { isLockLine, lockAt } from './report/lock-lines.ts';
export { reportArena } from './report/arena-report.ts';
export { heldEntries, isHeld, isUsed, isWaitedFor } from './report/in-use.ts';
export { Attempts, type AttemptOutcome } from './line/attempts.ts';
export { enterBucket, leaveBucket, sleepAtGate } from './line/element-gate.ts';
export { awaitAtBucket, waitAtBucket, type BucketSpot } from './line/chain-wait.ts';
export { publishAsyncWait, withdrawAsyncWait, type Claim } from './line/claim.ts';
export {
  countWithoutTicket,
  sleepersOnConditions,
  waitersWithoutTicket,
} from './report/claims.ts';
export { sleepOnWord, watchWord } from './line/word-wait.ts';
export { napOnWord, napOnWordAsync } from './line/word-nap.ts';
export { checkAsyncBody, checkBody, isAsyncBody, isThenable, refusePromise, reportRejection } from './api/run-body.ts';
export {
  checkFlag,
  checkFunction,
  checkInteger,
  checkObject,
  checkOptions,
  checkTimeout,
  checkWellFormed,
  FROM_OPTIONS,
  MAX_PERMITS,
  PERMIT_CALLS,
  PLACED_OPTIONS,
  show,
} from './api/check.ts';
export { keepAlive, letGo, LONGEST_MS, setRef } from './platform/keep-alive.ts';
export { kernelIdOf, kernelModule, type Kernel } from './kernel/kernel.ts';
export {
  type AgentAddress,
  asBlock,
  asBucket,
  asElement,
  asLine,
  type BlockAddress,
  type BucketAddress,
  type ElementAddress,
  type EntryAddress,
  type LineAddress,
} from './kernel/addresses.ts';
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
export {
  AGENT_ARMED,
  AGENT_CHAIN,
  AGENT_DUTY_KIND,
  AGENT_LEFT,
  AGENT_LIFE,
  AGENT_NAME,
  AGENT_PARKS,
  AGENT_PENDING,
  AGENT_PERMIT,
  AGENT_SCRATCH,
  AGENT_SPARE,
  AGENT_STATE,
  AGENT_THREAD,
  DRAWN,
  SLEEP_WORD,
  BLOCK_ERA,
  BLOCK_KIND,
  BLOCK_LINE,
  BLOCK_NAME,
  BLOCK_SIZE,
  BLOCK_TAG,
  BUCKET_SHIFT,
  BUCKETS,
  CAPACITY,
  CHAIN,
  COUNT,
  ELEMENT_STRIDE,
  ENTRY_HELD,
  ENTRY_SINCE,
  FLAG_SLEEP_WORD,
  FLAG_COUNTS_WAITS,
  FLAG_GATE,
  FLAG_LAST,
  FLAG_OWN_CHAIN,
  FLAG_OWNED,
  FLAG_RECOVERY,
  FLAG_SHARED,
  FLAG_TURNS,
  FLAG_WANTS,
  FLAGS,
  GATE,
  GRANT,
  HEADER_AGENT_POOL,
  HEADER_BUCKET_MASK,
  HEADER_HEAP,
  HEADER_ID,
  HEADER_MAGIC,
  HEADER_MAP,
  HEADER_NAMES,
  HEADER_TOP,
  HEALTH,
  KIND_AREA,
  KIND_POOL,
  KIND_REGION,
  KIND_SEMAPHORE,
  LAST_BASE_KIND,
  LAYOUT_VERSION,
  LEAVING,
  LIMIT,
  MAGIC,
  MODE_ASYNC,
  MODE_BLOCKING,
  NAME_BYTES,
  NEXT,
  NOT_SEEN,
  OFFICE,
  OWN_CHAIN,
  OWNER,
  OWNERS_AT,
  POOL_RECORDS,
  RELEASED_FOR_OTHERS,
  LINE,
  SLEEPERS,
  TAG,
  TICKET,
  UPDATES,
  WANTS,
} from './kernel/layout.ts';
export {
  ABANDONED,
  ADMITTED_DETACHED,
  AGAIN,
  CANCELLED,
  CANCELLED_LEFT_BEHIND,
  CONSISTENT,
  type Draw,
  type Enqueue,
  FOREIGN,
  HANDED,
  type HandOver,
  IDLE,
  INHERITED,
  type PollResult,
  NEEDS_WALK,
  OCCUPIED,
  ORPHANED,
  OVER_BOUND,
  OVERFLOW,
  type Poll,
  RACED,
  type Release,
  SHUT,
  TAKEN,
  TOO_FEW,
  type Try,
  UNRECOVERABLE,
  WAITING,
  type Wake,
} from './kernel/states.ts';
export {
  checkNumber,
  codecOf,
  fixedBytes,
  isBuiltInCodec,
  isNumberCodec,
  lengthOf,
  packedBy,
  packedFor,
  RefusedValue,
  type CodecName,
  type NumberCodec,
  type ValueCodec,
} from './values/value-codec.ts';
export { isOwnedLock, LockHealth } from './memory/lock-health.ts';
export { Loop, type Take } from './api/async-iterator.ts';
export { threadBudget } from './platform/loop-budget.ts';
export { NewcomerWait, type Flow } from './line/newcomer-wait.ts';
export { isAwaited } from './locks/awaited.ts';
export { LOCK_POSITION, positionAt, type Position } from './locks/lock-position.ts';
export { FLAT, LOCK_LINE, type LockLine } from './locks/lock-line.ts';
export { checkSignal, offAbort, onAbort, reasonOf, throwIfAborted } from './api/on-abort.ts';
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
export { mergePolicy } from './api/waiting-policy.ts';
export { acquireFor, semaphoreAt } from './semaphore/semaphore.ts';
export { WaitLine, type QueueBehaviour, type EnterOrEnqueue } from './locks/wait-line.ts';
export {
  PrimitiveErrors,
  PermitErrors,
  type ErrorShape,
  type Blame,
  type WaitErrors,
  withCallTimeout,
} from './error-text/primitive-errors.ts';
export { countIn, holdersOf, recordedAt, type LineRef } from './error-text/blockers.ts';
export { MAX_RECORDS, type Counted } from './report/counted.ts';
export { duration, plural, printable, type Titled } from './api/wording.ts';
export { titleOf } from './error-text/title.ts';
export { refuseToBlock, rejected, overMax } from './api/failures.ts';
export { checkWait, NO_WAIT_OPTIONS, WAIT_OPTIONS } from './api/wait-options.ts';
export { PermitLock } from './semaphore/permit-lock.ts';
export {
  describeWaiters,
  holdersOnce,
  reportLine,
  reportSemaphore,
  withoutPermits,
  type LineReport,
} from './report/semaphore-report.ts';
export { AgentTitles, titleOfAgent } from './report/agent-titles.ts';
export { notingPlaces, rejoin } from './agent/left-places.ts';
export {
  heldTogether,
  setObserver,
  tellHeld,
  tellOpened,
  unfollowed,
  type Observer,
  type WaitEnding,
} from './agent/observer.ts';
export { kindOf } from './report/kind-of.ts';
export { blockInLine, endOfWait, leaveLine, sleepInLine, spinIfItPays, wakeNext } from './line/line.ts';
export { awaitInLine, takeInLine, type Asked } from './line/line-async.ts';
export { dispose } from './api/guard.ts';
export { runLocked, runLockedAsync } from './api/lock.ts';
export { INSPECT, consoleText } from './api/console-text.ts';
export { refusePosting } from './platform/unpostable.ts';
export { reserveStack } from './platform/reserve-stack.ts';
export { wrongInstance } from './api/wrong-instance.ts';
export {
  asError,
  errorsOf,
  isArrayBuffer,
  isError,
  isMemory,
  isSharedBuffer,
  isUint8Array,
  messageOf,
  typedArrayName,
} from './platform/realm.ts';
export { now } from './platform/clock.ts';
export { perLineState } from './primitive/per-line-state.ts';
export { setAlarm, type Alarm } from './platform/alarm.ts';
export { decodeText, encodeText } from './platform/utf8.ts';
export { AsyncWait, AsyncWaits } from './agent/async-waits.ts';
export { Sleeper } from './line/sleeper.ts';
export { finishPending, recordOf } from './recovery/claim-dead-agent.ts';
export { ownerDiedIn, RUN_OPTIONS, waitIn } from './api/owner-died.ts';
export { threadClock, type Clock } from './platform/thread-clock.ts';
export { OwnTurn, turnChecks, turnToTake, type TurnTraits } from './locks/turn.ts';
