// What stands before an inner lock.

import type { Arena, WaitOptions } from '@sluice/core';
import type { GateReport } from './report.ts';
import type { Routes } from './routes.ts';

/** A place to go in and out of: a capacitor, a turnstile, or lanes of them. */
export interface Gate {
  readonly arena: Arena;
  readonly handle: { readonly kind: string };
  readonly name: string;
  /** How this agent came to hold the lock behind it. */
  readonly routes: Routes;
  /** B, now. */
  readonly bypassLimit: number;
  /** Whether nobody is inside and nobody waits, at this moment. */
  readonly empty: boolean;
  /** As "Capacitor 'door'". */
  toString(): string;
  arrive(): void;
  tryArrive(timeoutMs?: number): boolean;
  arriveAsync(options?: WaitOptions): Promise<void>;
  depart(): void;
  inspect(): GateReport;
  free(): void;
}
