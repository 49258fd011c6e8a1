// By which way a holding of a lock came: what it left at the capacitor.

import { openAs } from '../../../core/test/support/second-agent.ts';
import { Capacitor, type CapacitorLock } from '../../src/index.ts';

/** How often this agent is inside the capacitor of the lock. */
export function insideOf(lock: CapacitorLock): number {
  return gateOf(lock).inside;
}

/** The capacitor of a lock that has a plain one, as the agent of that instance has it. */
export function gateOf({ arena, handle: { gate } }: CapacitorLock): Capacitor {
  if (gate.kind !== 'sluice.capacitor') throw new Error(`not a plain capacitor: ${gate.kind}`);
  return openAs(arena, gate, (handle) => Capacitor.from(handle));
}
