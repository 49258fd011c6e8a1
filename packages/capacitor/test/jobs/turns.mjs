// @ts-check
// Workers at a turnstile.
import { Turnstile } from '@sluice/capacitor';
import { Region } from '@sluice/core';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { TurnstileHandle } from '@sluice/capacitor' */
/** @import { JobContext } from '@sluice/harness' */

export const GO = 0;
export const BACK = 1;
/** The worker that is inside, from 1. */
export const INSIDE = 2;
export const CROWDED = 3;
export const WORDS = 4;

/** @typedef {{ turnstile: TurnstileHandle, words: RegionHandle }} TurnData */

/**
 * Goes in, goes out when told to, and comes back when told to.
 * @param {TurnData} data
 * @param {JobContext} context
 */
export async function goOut({ turnstile: handle, words: region }, { say, pause }) {
  const turnstile = Turnstile.from(handle);
  const words = Region.from(region).int32;
  turnstile.arrive();
  say('in');
  await pause(0);
  Atomics.wait(words, GO, 0);
  turnstile.depart();
  say('out');
  await pause(0);
  Atomics.wait(words, BACK, 0);
  turnstile.arrive();
  turnstile.depart();
}

/** Goes in once, by a blocking call. @param {TurnData} data @param {JobContext} context */
export async function goIn({ turnstile: handle }, { say, pause }) {
  const turnstile = Turnstile.from(handle);
  say('comes');
  await pause(0);
  turnstile.arrive();
  const { agentInside } = turnstile.inspect();
  turnstile.depart();
  return agentInside === turnstile.arena.agentId;
}

/**
 * Goes in and out `passes` times, and until it has met another worker: on a busy machine the others may get no core for
 * a while. Returns the number of its turns, and the last B that it saw.
 * @param {TurnData & { passes: number }} data @param {JobContext} context
 */
export function comeAndGo({ turnstile: handle, words: region, passes }, { index, say }) {
  const turnstile = Turnstile.from(handle);
  const words = Region.from(region).int32;
  say('ready');
  Atomics.wait(words, GO, 0);
  let others = 0;
  let last = 0;
  for (let pass = 0; pass < passes || others === 0; pass++) {
    turnstile.arrive();
    if (Atomics.exchange(words, INSIDE, index + 1) !== 0) Atomics.add(words, CROWDED, 1);
    const before = Atomics.exchange(words, BACK, index + 1);
    if (before !== last) others += 1;
    last = index + 1;
    Atomics.store(words, INSIDE, 0);
    turnstile.depart();
  }
  return { turns: others, bypassLimit: turnstile.bypassLimit };
}
