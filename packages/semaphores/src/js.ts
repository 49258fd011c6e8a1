// The entry '@sluice/semaphores/js': the kernel of this package's semaphores in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of this package's semaphores in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { ChainSemaphore } from '@sluice/semaphores';
 * import { jsSemaphores } from '@sluice/semaphores/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsSemaphores) });
 * console.log(ChainSemaphore.create(1, { arena }).tryAcquire()); // true
 * ```
 */
export const jsSemaphores: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
