// The state of a gate of the built package that no agent is using.

import type { Arena } from '@sluice/core';
import { expect } from 'vitest';
import type { AnyGate } from '../jobs/gates.mjs';

/**
 * Checks that no agent is inside or waits, that all open permits are still to depart, and that no waiter's element is
 * left in the arena. `alone`: also that no agent holds anything else.
 */
export function expectGateAtRest(arena: Arena, gate: AnyGate, alone = true): void {
  const report = gate.inspect();
  if (report.kind === 'turnstile') expect(report).toMatchObject({ agentInside: 0, waiters: [], abandoned: 0 });
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
