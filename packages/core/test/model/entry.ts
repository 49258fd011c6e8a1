// The entry of the models. A mutant is this entry bundled with one line changed.

export { blocks } from '../../src/memory/blocks.ts';
export { heldEntries } from '../../src/report/in-use.ts';
export { Heap } from '../../src/memory/heap.ts';
export { compact } from '../../src/agent/compaction.ts';
export { freePrimitive, loadKind } from '../../src/primitive/block.ts';
export { finishPending, recover, recoverThread } from '../../src/recovery/claim-dead-agent.ts';
export { join } from '../../src/memory/lay-out-arena.ts';
export { leaveArena } from '../../src/recovery/leave-arena.ts';
export { AgentContext } from '../../src/agent/agent-context.ts';
export { hasCode } from '../../src/api/has-code.ts';
export { referenceKernel } from '../../src/kernel/reference.ts';
export { LockHealth } from '../../src/memory/lock-health.ts';
export { OwnedLock } from '../../src/locks/owned-lock.ts';
export { DEFAULT_POLICY } from '../../src/api/waiting-policy.ts';
export { semaphoreAt, type Semaphore } from '../../src/semaphore/semaphore.ts';
export { enterChain, leaveLine, sleepInLine } from '../../src/line/line.ts';
