export { AddressSemaphore } from './address-semaphore.ts';
export { ChainSemaphore } from './chain-semaphore.ts';
export { LightweightSemaphore, type LightweightOptions } from './lightweight-semaphore.ts';
export { LocationSemaphore } from './location-semaphore.ts';
export type { FamilyHandle, FamilySemaphore } from './member.ts';
export { MonitorSemaphore } from './monitor-semaphore.ts';
export { MultilaneSemaphore, type MultilaneOptions } from './multilane-semaphore.ts';
export type { Capabilities, FamilyOptions } from './options.ts';
export type { PermitGuard } from './permit-guard.ts';
export {
  PrioritySemaphore,
  type PriorityOptions,
  type PriorityReport,
  type PriorityWaitOptions,
} from './priority-semaphore.ts';
export type { ResizableHandle, ResizableOptions, ResizableReport } from './resizable-permits.ts';
export { ResizableSemaphore } from './resizable-semaphore.ts';
export type { SchemeName } from './schemes.ts';
export { TicketSemaphore } from './ticket-semaphore.ts';
export { WaitingArraySemaphore, type WaitingArrayOptions } from './waiting-array-semaphore.ts';
