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
  type Place,
} from './arena/primitive.ts';
export { BLOCK_LINE, CAPACITY, FLAG_OWNED, FLAG_RECOVERY, FLAGS, GRANT, KIND_SEMAPHORE, LIMIT } from './kernel/layout.ts';
export { LockHealth } from './lock-health.ts';
export { mergePolicy } from './policy.ts';
export { semaphoreAt } from './semaphore.ts';
