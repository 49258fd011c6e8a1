export { CapacitorLock } from './capacitor-lock.ts';
export { Capacitor, type CapacitorHandle } from './capacitor.ts';
export type { InnerLock } from './inner.ts';
export { LanedCapacitor, type LanedCapacitorHandle } from './laned-capacitor.ts';
export type { CapacitorLockHandle, CapacitorLockOptions } from './lock-options.ts';
export type { CapacitorOptions, LanedCapacitorOptions, TurnstileOptions } from './options.ts';
export type {
  CapacitorLockReport,
  CapacitorReport,
  GateReport,
  LanedCapacitorReport,
  RandomLanesReport,
  SemaphoreCapacitorReport,
  TurnstileReport,
} from './report.ts';
export {
  SemaphoreCapacitor,
  type GateSemaphore,
  type SemaphoreCapacitorHandle,
  type SemaphoreCapacitorOptions,
} from './semaphore-capacitor.ts';
export { Turnstile, type TurnstileHandle } from './turnstile.ts';
