// The gate in front of an inner lock.

import type { Arena, WaitOptions } from '@sluice/core';
import type { GateReport } from './report.ts';
import type { Routes } from './routes.ts';

/** A gate that agents enter and leave: a capacitor, a turnstile, or several lanes. */
export interface Gate {
  readonly arena: Arena;
  readonly handle: { readonly kind: string };
  readonly name: string;
  /** By which routes this agent acquired the lock behind the gate. */
  readonly routes: Routes;
  /** B at present. */
  readonly bypassLimit: number;
  /** Whether no agent is inside and none waits, at this moment. */
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
