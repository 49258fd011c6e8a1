export { asyncWaitSuite, type AwaitedThing } from './async-wait-suite.ts';
export { lockSuite, type LockSuiteOptions } from './lock-suite.ts';
export { remoteSemaphoreSuite, semaphoreSuite } from './semaphore-suite.ts';
export type { SemaphoreSuiteOptions } from './semaphore/traits.ts';
export type {
  ConformingLock,
  ConformingSemaphore,
  Counts,
  CreateLock,
  CreateSemaphore,
  CreateStepped,
  RivalLocks,
  SteppedSemaphore,
  SuiteGuard,
  SuiteWaitOptions,
} from './types.ts';
