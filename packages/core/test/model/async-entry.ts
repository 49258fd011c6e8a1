// What models of asynchronous code need of the source: built with its `async` functions lowered (mutate.ts).

export * from './entry.ts';
export { awaitAtBucket } from '../../src/channel/until.ts';
export { awaitInLine } from '../../src/semaphore/waits.ts';
export { AsyncWaits } from '../../src/arena/async-waits.ts';
