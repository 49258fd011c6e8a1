// The entry '@sluice/mutex/js': the kernels of this package in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export { jsCondition } from './condition/js.ts';

/**
 * The steps of `Mutex` and `RecursiveMutex` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { Mutex } from '@sluice/mutex';
 * import { jsMutex } from '@sluice/mutex/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsMutex) });
 * console.log(Mutex.create({ arena }).tryLock()); // true
 * ```
 */
export const jsMutex: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
