// The seq-lock as a kind of the arena: a block with a mutex in its line and data behind it. Its kernel is the mutex's.

import { kindCode, type Kind } from '@sluice/core/internal';
import { MUTEX_KERNEL, mutexSteps, type MutexSteps } from '@sluice/mutex/internal';

export const SEQ_LOCK: Kind<MutexSteps> = {
  name: 'sluice.seq-lock',
  code: /* @__PURE__ */ kindCode('seqlk'),
  kernel: MUTEX_KERNEL,
  title: 'seq-lock',
  steps: mutexSteps,
};
