// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export { countSideUnits, enqueueAtSide, enterSide, lookAtSide } from './enter.ts';
export { closeSides } from './close.ts';
export { commitSide, releaseSideForDeadOwner } from './exit.ts';
export { passInt32 } from './number.ts';
export { serveSides } from './serve.ts';
export { cancelSideLockWait, enqueueAtSideLock, parkSideLock, pollSideLock } from './side-lock.ts';
