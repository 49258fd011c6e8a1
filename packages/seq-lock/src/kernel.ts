// The seq-lock's own kernel, for its readers. Writers use the mutex's (kinds.ts).

import type { KernelSource } from '@sluice/core/internal';
import type * as steps from './kernel/steps.ts';
import { KERNEL_ID, KERNEL_TEXT } from './kernel/wasm.generated.ts';

export type SeqSteps = { readonly [Step in keyof typeof steps]: (typeof steps)[Step] };

export const SEQ_KERNEL: KernelSource<SeqSteps> = {
  entry: '@sluice/seq-lock',
  id: KERNEL_ID,
  text: KERNEL_TEXT,
  uncontended: ['loadShortSeqLock', 'loadSeqLockPart', 'seqLockChangedSince'],
};
