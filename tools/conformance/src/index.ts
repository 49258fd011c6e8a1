export { lockSuite, type LockSuiteOptions } from './lock-suite.ts';
export { semaphoreSuite, type CreateSemaphore } from './semaphore-suite.ts';
export type {
  ConformingLock,
  ConformingSemaphore,
  CreateLock,
  RivalLocks,
  SuiteGuard,
  SuiteWaitOptions,
} from './types.ts';
