// The arena's kinds for the mutex and the recursive mutex: their kernel and their steps.

import { kindCode, type Kernel, type KernelSource, type Kind, type KindSteps } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type MutexSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };
/** The steps of the core and of the mutex. */
export type MutexKernel = Kernel & MutexSteps;

export const MUTEX_KERNEL: KernelSource<MutexSteps> = {
  entry: '@sluice/mutex',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['lockMutex', 'unlockMutex', 'relockMutex', 'unrelockMutex', 'enqueueAtMutex', 'passMutexInOrder'],
};

export function mutexSteps({
  pollMutex,
  parkMutex,
  cancelMutexWait,
  releaseMutexForDeadOwner,
}: MutexKernel): KindSteps {
  return {
    poll: pollMutex,
    park: parkMutex,
    cancel: cancelMutexWait,
    releaseForDeadOwner: releaseMutexForDeadOwner,
  };
}

export const MUTEX: Kind<MutexSteps> = {
  name: 'sluice.mutex',
  code: /* @__PURE__ */ kindCode('mutex'),
  kernel: MUTEX_KERNEL,
  title: 'lock',
  steps: mutexSteps,
};

export const RECURSIVE_MUTEX: Kind<MutexSteps> = {
  name: 'sluice.recursive-mutex',
  code: /* @__PURE__ */ kindCode('remux'),
  kernel: MUTEX_KERNEL,
  title: 'lock',
  steps: mutexSteps,
};
