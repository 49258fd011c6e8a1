import { handleSuite } from '../../core/test/support/handle-suite.ts';
import type { Capacitor, LanedCapacitor, Turnstile } from '../src/index.ts';
import { CAPACITOR, LANED, TURNSTILE } from './misuse/kinds.ts';

/** An agent that one instance admits is not admitted again through the other, until it departs. */
function isOne(one: Capacitor | LanedCapacitor | Turnstile, other: Capacitor | LanedCapacitor | Turnstile): boolean {
  one.arrive();
  const seen = !other.empty;
  one.depart();
  return seen && other.empty;
}

handleSuite(CAPACITOR, 'sluice.capacitor', isOne);
handleSuite(LANED, 'sluice.laned-capacitor', isOne);
handleSuite(TURNSTILE, 'sluice.turnstile', isOne);
