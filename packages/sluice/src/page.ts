// All that pages can use.

export * from '@sluice/address-wait';
export * from '@sluice/auto-reset-event';
export * from '@sluice/barrier';
export * from '@sluice/bounded-buffer';
export * from '@sluice/bounded-buffer/select';
export * from '@sluice/bounded-buffer/web-streams';
export * from '@sluice/broadcast';
export * from '@sluice/cache';
export * from '@sluice/capacitor';
export * from '@sluice/core';
export * from '@sluice/event';
export * from '@sluice/inspect';
export * from '@sluice/limit';
export * from '@sluice/classics';
export * from '@sluice/mutex';
export * from '@sluice/named';
export * from '@sluice/rw-lock';
export * from '@sluice/semaphores';
export * from '@sluice/seq-lock';

// Several packages have types of these names.
export type { RunOptions } from '@sluice/core';
export type { RunOptions as LimitRunOptions } from '@sluice/limit';
export type { Consistency } from '@sluice/mutex';
