// The entry '@sluice/mutex/js': the kernels of this package in TypeScript, for `sluice/js`.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export { jsCondition } from './condition/js.ts';

/** The steps of `Mutex` and `RecursiveMutex` in TypeScript. */
export const jsMutex: JsKernel = /* @__PURE__ */ Object.freeze({
  kernel: KERNEL_ID,
  bind: (words: Words) => boundTo(words, { ...steps }),
});
