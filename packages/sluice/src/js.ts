// The entry 'sluice/js': the kernel in TypeScript, with the steps of all packages of `sluice`. It is for pages and
// threads that may not compile WebAssembly.

import { jsAutoResetEvent } from '@sluice/auto-reset-event/js';
import { jsBarrier } from '@sluice/barrier/js';
import { jsBoundedBuffer } from '@sluice/bounded-buffer/js';
import { jsBroadcast, jsWatch } from '@sluice/broadcast/js';
import { jsCapacitor } from '@sluice/capacitor/js';
import { jsClassicLocks, jsClassicSemaphores, jsEventCount } from '@sluice/classics/js';
import type { JsEngine } from '@sluice/core';
import { jsEngine as coreEngine } from '@sluice/core/js';
import { jsEvent } from '@sluice/event/js';
import { jsLimit, jsRateLimit } from '@sluice/limit/js';
import { jsCondition, jsMutex } from '@sluice/mutex/js';
import { jsRwLock } from '@sluice/rw-lock/js';
import { jsSemaphores } from '@sluice/semaphores/js';
import { jsSeqLock } from '@sluice/seq-lock/js';

export {
  jsAutoResetEvent,
  jsBarrier,
  jsBoundedBuffer,
  jsBroadcast,
  jsCapacitor,
  jsClassicLocks,
  jsClassicSemaphores,
  jsCondition,
  jsEvent,
  jsEventCount,
  jsLimit,
  jsMutex,
  jsRateLimit,
  jsRwLock,
  jsSemaphores,
  jsSeqLock,
  jsWatch,
};

/**
 * The kernel in TypeScript for all primitives. Pass it as the option `engine` of `Arena.create` and `Arena.from` where
 * a page's policy forbids WebAssembly.
 *
 * ```ts run
 * import { Arena, Mutex } from 'sluice';
 * import { jsEngine } from 'sluice/js';
 *
 * const arena = Arena.create({ engine: jsEngine });
 * console.log(arena.engine, Mutex.create({ arena }).tryLock()); // js true
 * ```
 *
 * For a smaller bundle, pass the steps of the kinds that you use to the `jsEngine` of `@sluice/core/js`. Without them
 * it has the steps of `Semaphore`.
 *
 * ```ts run
 * import { Arena, Mutex } from 'sluice';
 * import { jsEngine } from '@sluice/core/js';
 * import { jsMutex } from 'sluice/js';
 *
 * const arena = Arena.create({ engine: jsEngine.with(jsMutex) });
 * console.log(Mutex.create({ arena }).tryLock()); // true
 * ```
 */
export const jsEngine: JsEngine = /* @__PURE__ */ coreEngine.with(
  jsAutoResetEvent,
  jsBarrier,
  jsBoundedBuffer,
  jsBroadcast,
  jsCapacitor,
  jsClassicLocks,
  jsClassicSemaphores,
  jsCondition,
  jsEvent,
  jsEventCount,
  jsLimit,
  jsMutex,
  jsRateLimit,
  jsRwLock,
  jsSemaphores,
  jsSeqLock,
  jsWatch,
);
