// The entry '@sluice/limit/js': the kernels of this package in TypeScript, for `sluice/js`.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export { jsRateLimit } from './rate/js.ts';

/** The kernel steps of limits in TypeScript. A limit over a given semaphore does not need them. */
export const jsLimit: JsKernel = /* @__PURE__ */ Object.freeze({
  kernel: KERNEL_ID,
  bind: (words: Words) => boundTo(words, { ...steps }),
});
