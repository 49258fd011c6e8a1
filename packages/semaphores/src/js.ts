// The entry '@sluice/semaphores/js': the kernel of this package's semaphores in TypeScript, for `sluice/js`.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/** The steps of this package's semaphores in TypeScript. */
export const jsSemaphores: JsKernel = /* @__PURE__ */ Object.freeze({
  kernel: KERNEL_ID,
  bind: (words: Words) => boundTo(words, { ...steps }),
});
