// Makes tests of files of cases. The model layer (vitest.config.ts) hands each `*-cases.ts` to `testModels`.

import { byDepth, depth, oneIn, reaches } from '@sluice/harness';
import { explore, report, summary, type Options, type Result, type Scenario } from '@sluice/model';
import { afterAll, expect, test } from 'vitest';
import type { Case, Model } from './case.ts';
import { load } from './mutate.ts';
import type { Mutant } from './mutants.ts';

/** The maximum number of preemptions in a quick run. Most bugs need few preemptions. */
const QUICK_PREEMPTIONS = 2;
/** The budget of a search, in operations. At full depth every case is searched to its end. */
const BUDGET = byDepth({ quick: 4_000, ci: 20_000, full: Infinity });

/** The first tries at a mutant, in operations: the search of its case, and one with few preemptions. */
const FIRST_TRY = 2_000;
const SECOND_TRY = 20_000;

/** Returns the mutants that a run of this depth tests. */
export function someOf<const Each>(mutants: readonly Each[]): readonly Each[] {
  return oneIn(8, mutants);
}

export async function testModels(models: readonly Model[]): Promise<void> {
  for (const model of models) {
    testCases(model.name, model.cases(await load<never>(model.entry, model)));
    for (const mutant of someOf(model.mutants ?? [])) testMutant(model, mutant);
  }
}

/** Declares tests that every case passes, and that it was searched as far as the depth of the run requires. */
function testCases(what: string, cases: readonly Case[]): void {
  const results: Result[] = [];
  for (const { scenario, options, fails, depth: least = 'quick' } of cases) {
    if (!reaches(least)) continue;
    if (fails !== undefined) {
      test(`${what} model: ${scenario.name} fails as expected`, () => {
        const result = explore(scenario, { ...options, simplify: false });
        console.log(summary(result));
        expect(result.failure?.kind).toBe(fails);
      });
      continue;
    }
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

/** Declares the test that the named case catches the mutant. */
function testMutant(model: Model, mutant: Mutant): void {
  test(`${model.name} mutant is caught: ${mutant.name}`, async () => {
    const cases = model.cases(await load<never>(model.entry, { ...model, mutant }));
    const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
    if (named === undefined) throw new Error(`no case is called ${mutant.caughtBy}`);
    const result = searchMutant(named);
    console.log(summary(result));
    const { failure } = result;
    // Any other error would mean that the mutant does not even run.
    const isFound = failure !== undefined && ['deadlock', 'invariant', 'assertion'].includes(failure.kind);
    const isRefused = model.caughtByError !== undefined && failure?.message.includes(model.caughtByError) === true;
    expect(isFound || isRefused, failure?.message ?? 'no schedule fails').toBe(true);
  });
}

/**
 * Searches until a schedule fails. Most wrong code fails with one preemption, and a search without that bound meets such
 * a schedule tens of thousands of operations later.
 */
function searchMutant({ scenario, options }: Case): Result {
  const first = explore(scenario, { ...options, simplify: false, budget: FIRST_TRY });
  if (first.failure !== undefined || first.exhausted) return first;
  const second = explore(scenario, { ...options, simplify: false, preemptions: 1, budget: SECOND_TRY });
  return second.failure === undefined ? explore(scenario, { ...options, simplify: false }) : second;
}

function search(scenario: Scenario, options: Options): Result {
  const preemptions =
    depth === 'quick' ? Math.min(options.preemptions ?? Infinity, QUICK_PREEMPTIONS) : options.preemptions;
  return explore(scenario, { ...options, ...(preemptions === undefined ? {} : { preemptions }), budget: BUDGET });
}

function isSearched({ exhausted, operations }: Result): boolean {
  return exhausted || operations >= BUDGET;
}
