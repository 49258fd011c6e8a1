// What must hold at a gate of the built package that no agent is using.

import { Turnstile } from '@sluice/capacitor';
import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import type { AnyGate } from '../jobs/gates.mjs';

/**
 * No agent is inside or waits, all that is still open is still to depart, and nothing of a waiter is left in the arena.
 * `alone`: no agent holds anything else, either.
 */
export function expectGateAtRest(arena: Arena, gate: AnyGate, alone = true): void {
  if (gate instanceof Turnstile) endStaleTurn(gate);
  const report = gate.inspect();
  if (report.kind === 'turnstile') expect(report).toMatchObject({ turn: 0, away: false, waiters: [], abandoned: 0 });
  else {
    const lines = report.kind === 'capacitor' ? [report] : report.lanes;
    expect(report.inside).toEqual([]);
    expect(lines.map(({ waiters, abandoned }) => [waiters, abandoned])).toEqual(lines.map(() => [[], 0]));
    expect(lines.reduce((sum, { open }) => sum + open, 0)).toBe(report.departuresLeft);
    expect(report.departuresLeft).toBeGreaterThan(0);
  }
  expect(gate.empty).toBe(true);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  if (alone) expect(arena.inspect().agents.flatMap(({ holds }) => holds)).toEqual([]);
}

/**
 * The last waiter may give up in the moment in which an agent goes out and keeps its turn. No waiter is left to end that turn, so the
 * next arrival must be able to.
 */
function endStaleTurn(turnstile: Turnstile): void {
  if (!turnstile.inspect().away) return;
  expect(turnstile.tryArrive(10_000)).toBe(true);
  turnstile.depart();
}
