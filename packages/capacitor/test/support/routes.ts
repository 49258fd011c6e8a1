// The route of a lock's holding, read from the capacitor.

import { openAs } from '../../../core/test/support/second-agent.ts';
import { Capacitor, type CapacitorLock } from '../../src/index.ts';

/** Returns how often this agent is inside the capacitor of the lock. */
export function insideOf(lock: CapacitorLock): number {
  return gateOf(lock).inside;
}

/** Returns the plain capacitor of a lock, as an instance of that agent. */
export function gateOf({ arena, handle: { gate } }: CapacitorLock): Capacitor {
  if (gate.kind !== 'sluice.capacitor') throw new Error(`not a plain capacitor: ${gate.kind}`);
  return openAs(arena, gate, (handle) => Capacitor.from(handle));
}
