// Every step that the latch's WebAssembly kernel exports: the entry of its build.

export { addToLatch, cancelLatchWait, claimAtLatch, countDown, enqueueAtLatch, pollLatch, restoreClaims } from './latch.ts';
