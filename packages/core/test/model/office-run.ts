// Runs models, and mutants against them, as tests.

import { byDepth, depth } from '@sluice/harness';
import { explore, report, summary, type Options, type Result, type Scenario } from '@sluice/model';
import { afterAll, expect, test } from 'vitest';
import type { Mutant } from './mutants.ts';
import type { Case } from './semaphore-cases.ts';

/** Bugs need few preemptions: a quick run searches all schedules with so many. */
const QUICK_PREEMPTIONS = 2;
/** In operations. At full depth every case is searched to its end. */
const BUDGET = byDepth({ quick: 4_000, ci: 20_000, full: Infinity });
/** A quick run takes one mutant in so many. */
const MUTANTS_BY = byDepth({ quick: 8, ci: 1, full: 1 });

/** The mutants that the depth of the run asks for. */
export function someOf<const Each>(mutants: readonly Each[]): readonly Each[] {
  return mutants.filter((_, index) => index % MUTANTS_BY === 0);
}

/** Searches a case as far as the depth of the run allows. */
export function search(scenario: Scenario, options: Options): Result {
  const preemptions = depth === 'quick' ? Math.min(options.preemptions ?? Infinity, QUICK_PREEMPTIONS) : options.preemptions;
  return explore(scenario, { ...options, ...(preemptions === undefined ? {} : { preemptions }), budget: BUDGET });
}

/** Whether a case was searched as far as the depth of the run asks for. */
export function isSearched({ exhausted, operations }: Result): boolean {
  return exhausted || operations >= BUDGET;
}

/** Every case passes, and all of it was searched, or as much as the depth of the run allows. */
export function testModels(what: string, cases: readonly Case[]): void {
  const results: Result[] = [];
  for (const { scenario, options } of cases) {
    test(`${what} model: ${scenario.name}`, () => {
      const result = search(scenario, options);
      results.push(result);
      console.log(report(result));
      expect(result.failure).toBeUndefined();
      expect(isSearched(result)).toBe(true);
    });
  }
  afterAll(() => {
    const sum = (count: (result: Result) => number): string =>
      results.reduce((total, result) => total + count(result), 0).toLocaleString('en');
    console.log(
      `${what} model: ${results.length} scenarios, ${sum(({ executions }) => executions)} complete schedules, ` +
        `${sum(({ merged }) => merged)} merged into known states, ${sum(({ operations }) => operations)} operations`,
    );
  });
}

/** Each mutant is caught by the case that it names. `casesOf`: the cases with the mutant's line in the source. */
export function testMutants(
  what: string,
  mutants: readonly Mutant[],
  casesOf: (mutant: Mutant) => Promise<readonly Case[]>,
): void {
  for (const mutant of someOf(mutants)) {
    test(`${what} mutant is caught: ${mutant.name}`, async () => {
      const cases = await casesOf(mutant);
      const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
      expect(named, `no case is called ${mutant.caughtBy}`).toBeDefined();
      if (named === undefined) return;
      const result = explore(named.scenario, { ...named.options, simplify: false });
      console.log(summary(result));
      // Not by an error: that would be a mutant that does not even run.
      expect(['deadlock', 'invariant', 'assertion']).toContain(result.failure?.kind);
    });
  }
}
