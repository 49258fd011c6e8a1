// Makes tests of files of cases. The model layer (vitest.config.ts) hands each `*-cases.ts` to `testModels`.

import { byDepth, depth, reaches } from '@sluice/harness';
import { explore, report, summary, type Options, type Result, type Scenario } from '@sluice/model';
import { afterAll, expect, test } from 'vitest';
import type { Case, Model } from './case.ts';
import { load } from './mutate.ts';
import type { Mutant } from './mutants.ts';

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

export async function testModels(models: readonly Model[]): Promise<void> {
  for (const model of models) {
    testCases(model.name, model.cases(await load<never>(model.entry, model)));
    for (const mutant of someOf(model.mutants ?? [])) testMutant(model, mutant);
  }
}

/** Every case passes, and all of it was searched, or as much as the depth of the run allows. */
function testCases(what: string, cases: readonly Case[]): void {
  const results: Result[] = [];
  for (const { scenario, options, fails, depth: least = 'quick' } of cases) {
    if (!reaches(least)) continue;
    if (fails !== undefined) {
      test(`${what} model fails as is known: ${scenario.name}`, () => {
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

/** The mutant is caught by the case that it names. */
function testMutant(model: Model, mutant: Mutant): void {
  test(`${model.name} mutant is caught: ${mutant.name}`, async () => {
    const cases = model.cases(await load<never>(model.entry, { ...model, mutant }));
    const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
    if (named === undefined) throw new Error(`no case is called ${mutant.caughtBy}`);
    const result = explore(named.scenario, { ...named.options, simplify: false });
    console.log(summary(result));
    const { failure } = result;
    // Not by any other error: that would be a mutant that does not even run.
    const isFound = failure !== undefined && ['deadlock', 'invariant', 'assertion'].includes(failure.kind);
    const isRefused = model.caughtByError !== undefined && failure?.message.includes(model.caughtByError) === true;
    expect(isFound || isRefused, failure?.message ?? 'no schedule fails').toBe(true);
  });
}

function search(scenario: Scenario, options: Options): Result {
  const preemptions =
    depth === 'quick' ? Math.min(options.preemptions ?? Infinity, QUICK_PREEMPTIONS) : options.preemptions;
  return explore(scenario, { ...options, ...(preemptions === undefined ? {} : { preemptions }), budget: BUDGET });
}

function isSearched({ exhausted, operations }: Result): boolean {
  return exhausted || operations >= BUDGET;
}
