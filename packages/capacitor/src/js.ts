// The entry '@sluice/capacitor/js': the kernel of gates in TypeScript, for `sluice/js`.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/** The steps of `Capacitor`, `LanedCapacitor` and `Turnstile` in TypeScript. */
export const jsCapacitor: JsKernel = /* @__PURE__ */ Object.freeze({
  kernel: KERNEL_ID,
  bind: (words: Words) => boundTo(words, { ...steps }),
});
