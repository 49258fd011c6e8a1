// Evaluates the streams of agents that go in and out of a capacitor: its platoons.

import { Capacitor, LanedCapacitor } from '@sluice/capacitor';
import type { Arena } from '@sluice/core';

export type Door = Capacitor | LanedCapacitor;

export function createDoor(arena: Arena, bypassLimit: number, lanes = 0): Door {
  return lanes === 0 ? Capacitor.create({ arena, bypassLimit }) : LanedCapacitor.create({ arena, bypassLimit, lanes });
}

/** Returns the number of waiters in all lanes together. */
export function waitersAt(gate: Door): number {
  const report = gate.inspect();
  const lines = report.kind === 'capacitor' ? [report] : report.lanes;
  return lines.reduce((sum, { waiters }) => sum + waiters.length, 0);
}

/**
 * Returns the most agents that went in between two moments at which none was inside. Agents of an opening go in after
 * all of the previous platoon have recorded that they go out. So none is inside then, and the result is at most a
 * platoon.
 */
export function longestStay(stream: Int32Array): number {
  let [inside, came, longest] = [0, 0, 0];
  for (const event of stream) {
    inside += event > 0 ? 1 : -1;
    if (event > 0) came += 1;
    if (inside < 0) throw new Error('an agent went out that had not come in');
    longest = Math.max(longest, came);
    if (inside === 0) came = 0;
  }
  if (inside !== 0) throw new Error(`${inside} agents did not go out`);
  return longest;
}

/**
 * Returns the platoons in which not exactly `size` agents went in and out. Only for streams in which no agent gives a
 * permit up.
 */
export function brokenPlatoons(stream: Int32Array, size: number): number[] {
  const wrong: number[] = [];
  for (let at = 0; at < stream.length; at += 2 * size) {
    const came = stream.subarray(at, at + 2 * size).filter((event) => event > 0).length;
    if (came !== size) wrong.push(at / (2 * size));
  }
  return wrong;
}
