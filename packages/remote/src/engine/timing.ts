// The clocks and timers of a session. The model replaces them.

import { now, setAlarm } from '@sluice/core/calls';

/** A timer that can be stopped. */
export interface Timer {
  stop(): void;
}

export interface Timing {
  /** The time of the monotonic clock in ms. It may stand still while the machine sleeps. */
  now(): number;
  /** The time of the wall clock in ms. It continues while the machine sleeps, and may be set. */
  wall(): number;
  /**
   * Calls `ring` once, at least `ms` ms from now. Never if `ms` is `Infinity`. `ref`: whether the timer keeps the
   * process alive.
   */
  after(ms: number, ring: () => void, ref: boolean): Timer | undefined;
}

export const PLATFORM: Timing = {
  now,
  wall: () => Date.now(),
  after: setAlarm,
};

/** Returns a promise that resolves after `ms` ms and does not keep the process alive. */
export function pause(timing: Timing, ms: number): Promise<void> {
  return new Promise((resolve) => timing.after(ms, resolve, false));
}
