export { Capacitor, type CapacitorHandle } from './capacitor.ts';
export type { BypassLimit, CapacitorOptions } from './options.ts';
export type { CapacitorReport } from './report.ts';
