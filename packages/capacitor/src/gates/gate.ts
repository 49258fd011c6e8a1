// The gate in front of an inner lock.

import type { Arena, WaitOptions } from '@sluice/core';
import type { GateReport } from './report.ts';
import type { Routes } from './routes.ts';

/** A gate that agents enter and leave: a capacitor, a turnstile, or several lanes. */
export interface Gate {
  readonly arena: Arena;
  readonly handle: { readonly kind: string };
  readonly name: string;
  /** The routes by which this agent acquired the lock behind the gate. */
  readonly routes: Routes;
  /** The present bypass limit B. */
  readonly bypassLimit: number;
  /** Whether no agent is inside and none waits, at this moment. */
  readonly empty: boolean;
  /** Returns the title, such as "Capacitor 'door'". */
  toString(): string;
  arrive(): void;
  tryArrive(timeoutMs?: number): boolean;
  arriveAsync(options?: WaitOptions): Promise<void>;
  depart(): void;
  inspect(): GateReport;
  free(): void;
}
