// The core's steps in TypeScript, over any memory. `jsEngine`, the model explorer and the differential tests run them.

import type { Kernel } from './kernel.ts';
import * as steps from './steps.ts';
import { boundTo, type Words } from './words.ts';

/** Binds the steps to `words`: the kernel of one agent. */
export function referenceKernel(words: Words): Kernel {
  return boundTo(words, { ...steps });
}
