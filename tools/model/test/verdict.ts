// Explores, prints the one-line summary, and expects an ending.

import { expect } from 'vitest';
import { explore, report, summary, type FailureKind, type Options, type Result, type Scenario } from '../src/index.ts';

export function mustPass(scenario: Scenario, options: Options = {}): Result {
  const result = explore(scenario, options);
  console.log(summary(result));
  expect(result.failure, report(result)).toBeUndefined();
  if (options.random === undefined) expect(result.exhausted).toBe(true);
  return result;
}

/** Returns the trace as one text. */
export function mustFail(scenario: Scenario, kind: FailureKind, options: Options = {}): string {
  const result = explore(scenario, options);
  console.log(summary(result));
  expect(result.failure?.kind).toBe(kind);
  return result.failure?.trace.join('\n') ?? '';
}
