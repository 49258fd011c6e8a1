// The entry '@sluice/rw-lock/js': the kernel of read-write locks in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `RwLock` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { RwLock } from '@sluice/rw-lock';
 * import { jsRwLock } from '@sluice/rw-lock/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsRwLock) });
 * console.log(RwLock.create({ arena }).reader.tryLock()); // true
 * ```
 */
export const jsRwLock: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
