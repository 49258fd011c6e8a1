// The entry '@sluice/classics/js': the kernels of this package in TypeScript, for `sluice/js`.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export { jsEventCount } from './event-count/js.ts';
export { jsClassicSemaphores } from './semaphores/js.ts';

/** The steps of the locks of this package in TypeScript. */
export const jsClassicLocks: JsKernel = /* @__PURE__ */ Object.freeze({
  kernel: KERNEL_ID,
  bind: (words: Words) => boundTo(words, { ...steps }),
});
