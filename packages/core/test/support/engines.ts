// The kernels that tests run on, by the names that stand in their titles.

import { jsEngine } from '@sluice/core/js';
import type { Engine, JsEngine } from '../../src/kernel/kernel.ts';

/** The value of the option `engine` that makes an agent run that kernel. */
export function engineNamed(name: Engine): JsEngine | undefined {
  return name === 'js' ? jsEngine : undefined;
}
