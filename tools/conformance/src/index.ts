export { asyncWaitSuite, type AwaitedThing } from './async-wait-suite.ts';
export { lockSuite, type LockSuiteOptions } from './lock-suite.ts';
export { semaphoreSuite, type CreateSemaphore } from './semaphore-suite.ts';
export type { SemaphoreSuiteOptions } from './semaphore/traits.ts';
export type {
  ConformingLock,
  ConformingSemaphore,
  CreateLock,
  RivalLocks,
  SuiteGuard,
  SuiteWaitOptions,
} from './types.ts';
