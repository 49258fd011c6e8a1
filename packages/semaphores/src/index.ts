export { AddressSemaphore } from './address-semaphore.ts';
export { ChainSemaphore } from './chain-semaphore.ts';
export { LocationSemaphore } from './location-semaphore.ts';
export type { FamilyHandle } from './member.ts';
export { MonitorSemaphore } from './monitor-semaphore.ts';
export type { Capabilities, FamilyOptions } from './options.ts';
export { TicketSemaphore } from './ticket-semaphore.ts';
export { WaitingArraySemaphore, type WaitingArrayOptions } from './waiting-array-semaphore.ts';
