// The footprint of a transition: what it reads and writes in the present state. Two footprints tell whether their
// transitions commute there.

import { NOTIFY, WAIT, changesWord, isWide } from './operation.ts';
import type { Machine } from './machine.ts';
import { agentOf, KILL, RUN, WAKE, whatOf } from './transition.ts';

export interface Footprint {
  /** The words from `from` up to `to`. */
  from: number;
  to: number;
  writes: boolean;
  /** The address whose queue of sleepers the transition uses, or -1. */
  queue: number;
  reorders: boolean;
  /** 1 if the transition uses up a death, 2 if it uses up a spurious wake-up. */
  budget: number;
}

export const emptyFootprint = (): Footprint => ({
  from: 0,
  to: 0,
  writes: false,
  queue: -1,
  reorders: false,
  budget: 0,
});

/**
 * Fills in the footprint of a transition. A compare-and-swap that would fail now, or a store of the present value, only
 * reads.
 */
export function fillFootprint(into: Footprint, machine: Machine, transition: number): void {
  const what = whatOf(transition);
  const { operation } = machine.state(agentOf(transition));
  const { kind, address } = operation;
  into.from = 0;
  into.to = 0;
  into.writes = false;
  into.queue = -1;
  into.reorders = false;
  into.budget = 0;
  if (what !== RUN) {
    into.queue = address;
    into.reorders = true;
    into.budget = what === KILL ? 1 : what === WAKE ? 2 : 0;
    return;
  }
  if (kind === NOTIFY) {
    into.queue = address;
    into.reorders = machine.sleepers.some((sleeper) => machine.state(sleeper).operation.address === address);
    return;
  }
  into.from = address >> 2;
  into.to = into.from + (isWide(kind) ? 2 : 1);
  if (kind === WAIT) {
    const falls = machine.memory.read32(address) === ((operation.first as number) | 0);
    if (!falls) return;
    into.queue = address;
    into.reorders = true;
    return;
  }
  into.writes = changesWord(machine.memory, operation);
}

export function commute(a: Footprint, b: Footprint): boolean {
  if ((a.writes || b.writes) && a.from < b.to && b.from < a.to) return false;
  if ((a.reorders || b.reorders) && a.queue === b.queue && a.queue !== -1) return false;
  return a.budget === 0 || a.budget !== b.budget;
}
