// How reports and tools read an arena: its blocks and records, the agents that hold and wait, and what a thread tells a
// tool that follows it. Nothing here changes a shared word. The entry '@sluice/core/report'.

export { openedArenas } from './arena/arena.ts';
export { listenToOpened, type OpenedArena } from './arena/announce-opened.ts';
export { onlookerAt } from './arena/onlooker.ts';
export { arenaId } from './memory/handle.ts';
export { blockOf, blocks } from './memory/blocks.ts';
export { entries, records } from './memory/records.ts';
export { poolBlocks } from './memory/corrupt.ts';
export { ARMED_WAITS } from './agent/liveness-probe.ts';
export { PAGE_BYTES } from './memory/heap.ts';
export {
  allHoldings,
  allWaiting,
  ownerOrReceiver,
  roleOf,
  type KindFacts,
  type Onlooker,
  type Reader,
  type WaitingRecord,
} from './report/holders-and-waiters.ts';
export { readWaits, type HeldRecord, type ReadWaits } from './report/read-waits.ts';
export { isLockLine, lockAt } from './report/lock-lines.ts';
export { reportArena } from './report/arena-report.ts';
export { heldEntries, isHeld, isUsed, isWaitedFor } from './report/in-use.ts';
export { countWithoutTicket, sleepersOnConditions, waitersWithoutTicket } from './report/claims.ts';
export { isOwnedLock } from './memory/lock-health.ts';
export { MAX_RECORDS, type Counted } from './report/counted.ts';
export {
  describeWaiters,
  holdersOnce,
  reportLine,
  reportSemaphore,
  withoutPermits,
  type LineReport,
} from './report/semaphore-report.ts';
export { agentsText } from './report/agent-names.ts';
export { AgentTitles, titleOfAgent } from './report/agent-titles.ts';
export { heldTogether, setObserver, type Observer, type WaitEnding } from './agent/observer.ts';
export { kindOf } from './report/kind-of.ts';
