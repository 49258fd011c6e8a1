// The kernel of watch cells in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

/**
 * The steps of `WatchCell` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 * import { WatchCell } from '@sluice/broadcast';
 * import { jsWatch } from '@sluice/broadcast/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsWatch) });
 * console.log(WatchCell.create(7, { arena, codec: 'int32' }).get()); // 7
 * ```
 */
export const jsWatch: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
