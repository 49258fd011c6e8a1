// How a worker of the demo passes time.

import { PHASE, PILLOW, STOP } from '../shared/control.ts';

/** From here on a sleep is exact enough. */
const SLEEP_US = 2000;

/** Sleeps, or computes for a time too short to sleep. */
export function spend(control: Int32Array, microseconds: number): void {
  if (microseconds >= SLEEP_US) return void Atomics.wait(control, PILLOW, 0, microseconds / 1000);
  const end = performance.now() + microseconds / 1000;
  while (performance.now() < end);
}

export function isStopped(control: Int32Array): boolean {
  return Atomics.load(control, PHASE) === STOP;
}

/** As long as the speed says, give or take a half. */
export function about(microseconds: number): number {
  return microseconds * (0.5 + Math.random());
}
