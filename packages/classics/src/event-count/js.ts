// The kernel of the event count and the sequencer in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/** The steps of `EventCount` and `Sequencer` in TypeScript. */
export const jsEventCount: JsKernel = /* @__PURE__ */ Object.freeze({
  kernel: KERNEL_ID,
  bind: (words: Words) => boundTo(words, { ...steps }),
});
