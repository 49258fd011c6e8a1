// Tests the simplest owned lock when its owner dies.

import './support/crash-injection.ts';
import { SEMAPHORE_LOCK } from './support/lock-scene.ts';
import { ownerDeathSuite } from './support/owner-death-suite.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';

ownerDeathSuite('SemaphoreLock', {
  ...SEMAPHORE_LOCK,
  consistency: (handle) => SemaphoreLock.from(handle).consistency,
});
