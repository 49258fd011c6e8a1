// The entry '@sluice/bounded-buffer/js': the kernel of bounded buffers in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `BoundedBuffer` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 * import { jsBoundedBuffer } from '@sluice/bounded-buffer/js';
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsBoundedBuffer) });
 * console.log(BoundedBuffer.create({ arena, codec: 'int32' }).tryPush(1)); // true
 * ```
 */
export const jsBoundedBuffer: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
