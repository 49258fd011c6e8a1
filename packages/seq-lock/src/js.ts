// The entry '@sluice/seq-lock/js': the kernel of this package in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `SeqLock` in TypeScript, for an agent that runs `jsEngine`. Its writers need `jsMutex`, too.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { jsMutex } from '@sluice/mutex/js';
 * import { SeqLock } from '@sluice/seq-lock';
 * import { jsSeqLock } from '@sluice/seq-lock/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsMutex, jsSeqLock) });
 * console.log(SeqLock.create({ byteLength: 4, arena }).read().int32[0]); // 0
 * ```
 */
export const jsSeqLock: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
