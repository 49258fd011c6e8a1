// The entry '@sluice/barrier/js': the kernel of this package in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `CountdownLatch` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { CountdownLatch } from '@sluice/barrier';
 * import { jsBarrier } from '@sluice/barrier/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsBarrier) });
 * console.log(CountdownLatch.create(1, { arena }).tryWait()); // false
 * ```
 */
export const jsBarrier: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
