// Fast checks for crash tests, which make about ten checks after each of thousands of deaths. `expect` takes longer
// than a comparison, so it is called only if a simple comparison fails.

import { expect } from 'vitest';

/** Two values, or two lists of values. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (Object.is(actual, expected)) return;
  if (!Array.isArray(actual) || !Array.isArray(expected) || !areAlike(actual, expected))
    expect(actual).toEqual(expected);
}

function areAlike(actual: readonly unknown[], expected: readonly unknown[]): boolean {
  if (actual.length !== expected.length) return false;
  for (let index = 0; index < actual.length; index++) if (!Object.is(actual[index], expected[index])) return false;
  return true;
}

export function expectNone(findings: readonly unknown[]): void {
  expectSame(findings, []);
}
