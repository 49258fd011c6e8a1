// The gate of a capacitor lock, with the settings of the routes through it and around it.

import type { CapacitorHandle } from '../gates/capacitor.ts';
import type { Gate } from '../gates/gate.ts';
import type { LanedCapacitorHandle } from '../gates/laned-capacitor.ts';
import type { RandomLanesHandle } from '../gates/random-lanes.ts';
import type { SemaphoreCapacitorHandle } from '../gates/semaphore-capacitor.ts';
import type { TurnstileHandle } from '../gates/turnstile.ts';

/** The handle of a gate of any kind. */
export type GateHandle =
  | CapacitorHandle
  | LanedCapacitorHandle
  | RandomLanesHandle
  | SemaphoreCapacitorHandle
  | TurnstileHandle;

/** The gate and the settings by which an agent reaches the inner lock. */
export interface GateSettings {
  readonly gate: Gate & { readonly handle: GateHandle };
  readonly fraction: number;
  readonly skipWhenUncontended: boolean;
}
