// What models need of the source, behind one entry: mutants are made by bundling it with one line changed.

export { blocks } from '../../src/arena/blocks.ts';
export { Heap } from '../../src/arena/heap.ts';
export { compact } from '../../src/arena/compaction.ts';
export { freePrimitive, loadKind } from '../../src/arena/primitive.ts';
export { finishPending, recover, recoverThread } from '../../src/arena/reclaim.ts';
export { join } from '../../src/arena/found.ts';
export { leaveArena } from '../../src/arena/leave.ts';
export { AgentContext } from '../../src/arena/agent-context.ts';
export { hasCode } from '../../src/has-code.ts';
export { referenceKernel } from '../../src/kernel/reference.ts';
export { LockHealth } from '../../src/lock-health.ts';
export { OwnedLock } from '../../src/owned-lock.ts';
export { DEFAULT_POLICY } from '../../src/policy.ts';
export { semaphoreAt, type Semaphore } from '../../src/semaphore.ts';
export { enterChain, leaveLine, sleepInLine } from '../../src/semaphore/line.ts';
