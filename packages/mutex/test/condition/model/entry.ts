// The entry of the models of conditions. A mutant is this entry bundled with one line changed.

import * as base from '../../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../../core/src/kernel/words.ts';
import type { MutexKernel } from '../../../src/kinds.ts';
import * as mutexSteps from '../../../src/kernel/steps.ts';
import type { RwKernel } from '../../../../rw-lock/src/kinds.ts';
import * as rwSteps from '../../../../rw-lock/src/kernel/steps.ts';
import type { ConditionKernel } from '../../../src/condition/kinds.ts';
import * as steps from '../../../src/condition/kernel/steps.ts';

export * from '../../../../core/test/model/entry.ts';
export { MUTEX } from '../../../src/kinds.ts';
export { mutexAt } from '../../../src/mutex.ts';
export { RW_LOCK, WRITERS } from '../../../../rw-lock/src/kinds.ts';
export { rwLockAt } from '../../../../rw-lock/src/rw-lock.ts';
export { conditionAt, type Condition } from '../../../src/condition/condition.ts';
export type { ConditionLock } from '../../../src/condition/lock-of.ts';
export { CONDITION } from '../../../src/condition/kinds.ts';
export { ConditionWait } from '../../../src/condition/condition-wait.ts';

/** The steps of the core, of both locks and of the condition, bound to `words`. */
export function referenceKernel(words: Words): MutexKernel & RwKernel & ConditionKernel {
  return boundTo(words, { ...base, ...mutexSteps, ...rwSteps, ...steps });
}
