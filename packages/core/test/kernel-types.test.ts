// Tests what the types of addresses and outcomes refuse. The compiler reports each `@ts-expect-error` below that is
// unnecessary.

import { expect, test } from 'vitest';
import { asAgent, asElement, asLine } from '../src/kernel/addresses.ts';
import type { Kernel } from '../src/kernel/kernel.ts';
import * as states from '../src/kernel/states.ts';
import { IDLE, OVER_BOUND, TAKEN } from '../src/kernel/states.ts';

const line = asLine(128);
const element = asElement(256);
const agent = asAgent(512);

export function refused(kernel: Kernel): boolean[] {
  // @ts-expect-error An element is no line.
  kernel.acquire(element, 1, 0, 1, agent);
  // @ts-expect-error A line is no element.
  kernel.link(agent, line);
  // @ts-expect-error A bare number is no agent record.
  kernel.walk(512);
  return [
    // @ts-expect-error A ticket that is rolled back takes nothing.
    kernel.withdraw(agent, element) === TAKEN,
    // @ts-expect-error An attempt to acquire cannot exceed a bound.
    kernel.tryAcquire(line, 1, 0, 1) === OVER_BOUND,
    kernel.walk(agent) === IDLE,
  ];
}

test('outcomes are negative, and no two of them are equal', () => {
  const { NEVER_KNEW, ...rest } = states;
  const outcomes = Object.values<unknown>(rest).filter((value) => typeof value === 'number' && value < 0);
  expect(NEVER_KNEW).toBe(-1);
  expect(outcomes).toHaveLength(19);
  expect(new Set(outcomes).size).toBe(outcomes.length);
});
