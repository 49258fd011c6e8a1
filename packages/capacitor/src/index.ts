export { CapacitorLock } from './lock/capacitor-lock.ts';
export { Capacitor, type CapacitorHandle } from './gates/capacitor.ts';
export type { InnerLock } from './lock/inner-lock.ts';
export { LanedCapacitor, type LanedCapacitorHandle } from './gates/laned-capacitor.ts';
export type { CapacitorLockHandle } from './lock/lock-handle.ts';
export type { CapacitorLockOptions } from './lock/lock-options.ts';
export type { CapacitorOptions, LanedCapacitorOptions, TurnstileOptions } from './gates/options.ts';
export type {
  CapacitorLockReport,
  CapacitorReport,
  GateReport,
  LanedCapacitorReport,
  RandomLanesReport,
  SemaphoreCapacitorReport,
  TurnstileReport,
} from './gates/report.ts';
export {
  SemaphoreCapacitor,
  type GateSemaphore,
  type SemaphoreCapacitorHandle,
  type SemaphoreCapacitorOptions,
} from './gates/semaphore-capacitor.ts';
export { Turnstile, type TurnstileHandle } from './gates/turnstile.ts';
