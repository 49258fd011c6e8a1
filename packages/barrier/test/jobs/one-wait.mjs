// @ts-check
// A worker that blocks once at a barrier.

import { Barrier } from '@sluice/barrier';

/** @param {{ barrier: import('@sluice/barrier').BarrierHandle }} data */
export function waitOnce({ barrier }) {
  Barrier.from(barrier).wait();
}
