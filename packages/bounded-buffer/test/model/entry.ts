// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../core/src/kernel/words.ts';
import { threadBudget } from '../../../core/src/platform/loop-budget.ts';
import * as steps from '../../src/kernel/steps.ts';
import type { BufferKernel } from '../../src/sides/kinds.ts';

export * from '../../../core/test/model/entry.ts';
export { LoopBudget } from '../../../core/src/platform/loop-budget.ts';
export { BoundedBuffer, partsOf } from '../../src/buffer/bounded-buffer.ts';
export { putIfWanted, takeIfWanted } from '../../src/buffer/on-demand.ts';
export { keepLock } from '../../src/buffer/parts.ts';
export { select, selectAsync } from '../../src/select.ts';
export { BUFFER } from '../../src/sides/kinds.ts';

/** The core's steps and a buffer's steps, bound to `words`. */
export function referenceKernel(words: Words): BufferKernel {
  return boundTo(words, { ...base, ...steps });
}

// Selections spend from the budget of the thread, which follows a real clock. Time must not decide what a model does.
threadBudget.spend = () => undefined;
