// @ts-check
// The gates, for workers.
import { Capacitor, LanedCapacitor, Turnstile } from '@sluice/capacitor';

/** @import { CapacitorHandle, LanedCapacitorHandle, TurnstileHandle } from '@sluice/capacitor' */
/** @import { AsyncLock, Lock } from '@sluice/core' */

/** @typedef {Capacitor | LanedCapacitor | Turnstile} AnyGate */
/** @typedef {CapacitorHandle | LanedCapacitorHandle | TurnstileHandle} AnyGateHandle */

/** @param {AnyGateHandle} handle @returns {AnyGate} */
export function openGate(handle) {
  switch (handle.kind) {
    case 'sluice.capacitor':
      return Capacitor.from(handle);
    case 'sluice.laned-capacitor':
      return LanedCapacitor.from(handle);
    case 'sluice.turnstile':
      return Turnstile.from(handle);
  }
}

/** Presents a gate as a lock. @param {AnyGate} gate @returns {Lock & AsyncLock} */
export function asLock(gate) {
  return {
    lock: () => gate.arrive(),
    tryLock: (timeoutMs) => gate.tryArrive(timeoutMs),
    lockAsync: (options) => gate.arriveAsync(options),
    unlock: () => gate.depart(),
  };
}
