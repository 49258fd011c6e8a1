// The entry '@sluice/broadcast/js': the kernels of this package in TypeScript.

import { boundTo, type JsKernel, type Words } from '@sluice/core/js';
import * as steps from './kernel/steps.ts';
import { KERNEL_ID } from './kernel/wasm.generated.ts';

export { jsWatch } from './watch/js.ts';

/**
 * The steps of `Broadcast` in TypeScript, for an agent that runs `jsEngine`.
 *
 * ```ts run
 * import { Broadcast } from '@sluice/broadcast';
 * import { jsBroadcast } from '@sluice/broadcast/js';
 * import { Arena } from '@sluice/core';
 * import { jsEngine } from '@sluice/core/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsBroadcast) });
 * const ticks = Broadcast.create({ arena, codec: 'int32' });
 * const subscription = ticks.subscribe();
 * ticks.publish(1);
 * console.log(subscription.next()); // 1
 * ```
 */
export const jsBroadcast: JsKernel = /* @__PURE__ */ Object.freeze({ kernel: KERNEL_ID, bind: (words: Words) => boundTo(words, { ...steps }) });
