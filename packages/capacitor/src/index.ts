export { Capacitor, type CapacitorHandle } from './capacitor.ts';
export type { CapacitorOptions, TurnstileOptions } from './options.ts';
export type { CapacitorReport, TurnstileReport } from './report.ts';
export { Turnstile, type TurnstileHandle } from './turnstile.ts';
