// The sources that models use, as one entry. A mutant is a bundle of this entry with one edit.

import * as base from '../../../../core/src/kernel/steps.ts';
import { boundTo, type Words } from '../../../../core/src/kernel/words.ts';
import * as steps from '../../../src/watch/kernel/steps.ts';
import type { WatchKernel } from '../../../src/watch/kinds.ts';

export * from '../../../../core/test/model/entry.ts';
export { WATCH_CELL } from '../../../src/watch/kinds.ts';
export { watchCellAt, type WatchCell } from '../../../src/watch/watch-cell.ts';

/** The core's steps and a watch cell's steps, bound to `words`. */
export function referenceKernel(words: Words): WatchKernel {
  return boundTo(words, { ...base, ...steps });
}
