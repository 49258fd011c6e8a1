// @ts-check Gates and locks that workers of a death storm create for themselves.
import { Capacitor, CapacitorLock, LanedCapacitor, Turnstile } from '@sluice/capacitor';
import { TtsLock } from '@sluice/classics';
import { asLock } from './gates.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { CrashLife } from '../../../core/test/jobs/crash-life.mjs' */
/** @import { AnyGate } from './gates.mjs' */

/** @param {Arena} arena @param {JobContext['random']} random @returns {AnyGate} */
function createGate(arena, random) {
  const options = { arena, name: `private of ${arena.agentId}` };
  const dice = random.below(3);
  if (dice === 0) return Turnstile.create(options);
  const bypassLimit = random.between(2, 4);
  if (dice === 1) return Capacitor.create({ ...options, bypassLimit });
  return LanedCapacitor.create({ ...options, bypassLimit, lanes: 2 });
}

/** Creates a gate, uses it and frees it. @param {CrashLife} life */
export async function useOwnGate(life) {
  const own = createGate(life.place, life.random);
  const times = own instanceof Turnstile ? 1 : own.bypassLimit;
  for (let time = 0; time < times; time++) own.arrive();
  await dieBeside(asLock(own), life);
  for (let time = 0; time < times; time++) own.depart();
  // Another agent may still have an element of a cancelled wait in flight.
  while (!own.empty) await life.turn();
  own.free();
}

/** Creates a lock behind a gate, uses it and frees it. @param {CrashLife} life */
export async function useOwnLock(life) {
  const { place: arena, random } = life;
  const name = `private of ${arena.agentId}`;
  const inner = TtsLock.create({ arena, name });
  const lock = CapacitorLock.create(inner, { name, bypassLimit: random.pick([1, 3, 'adaptive']) });
  await lock.runAsync(() => dieBeside(lock, life));
  lock.free();
  inner.free();
}

/**
 * Uses the lock while async waits for it are queued.
 * @param {import('@sluice/core').AsyncLock} own
 * @param {CrashLife} life
 */
async function dieBeside(own, life) {
  const waits = [own.lockAsync({ timeout: 2 }), own.lockAsync({ timeout: 1 })];
  const ended = Promise.allSettled(waits);
  if (life.life.fate !== 'end') await life.dieIfDue();
  for (const { status } of await ended) if (status === 'fulfilled') own.unlock();
}

/** Creates and frees gates at once, so that a death can come in the middle. @param {CrashLife} life */
export function foundGates({ place, random }) {
  for (let times = random.below(200); times > 0; times--) createGate(place, random).free();
}
