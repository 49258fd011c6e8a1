import { explore, report, summary, type Result } from '@sluice/model';
import { afterAll, expect, test } from 'vitest';
import { asyncCases, type AsyncCore } from './model/async-cases.ts';
import { ASYNC_MUTANTS } from './model/async-mutants.ts';
import { lowered } from './model/mutate.ts';

const ENTRY = new URL('model/async-entry.ts', import.meta.url);
const core = await lowered<AsyncCore>(ENTRY);
const results: Result[] = [];

for (const { scenario, options } of asyncCases(core)) {
  test(`async model: ${scenario.name}`, () => {
    const result = explore(scenario, options);
    results.push(result);
    console.log(report(result));
    expect(result.failure).toBeUndefined();
    expect(result.exhausted).toBe(true);
  });
}

for (const mutant of ASYNC_MUTANTS) {
  test(`async mutant is caught: ${mutant.name}`, async () => {
    const cases = asyncCases(await lowered<AsyncCore>(ENTRY, mutant));
    const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
    expect(named, `no case is called ${mutant.caughtBy}`).toBeDefined();
    if (named === undefined) return;
    const result = explore(named.scenario, { ...named.options, simplify: false });
    console.log(summary(result));
    expect(['deadlock', 'invariant', 'assertion']).toContain(result.failure?.kind);
  });
}

afterAll(() => {
  const sum = (count: (result: Result) => number): string => results.reduce((total, result) => total + count(result), 0).toLocaleString('en');
  console.log(
    `async model: ${results.length} scenarios, ${sum(({ executions }) => executions)} complete schedules, ` +
      `${sum(({ merged }) => merged)} merged into known states, ${sum(({ operations }) => operations)} operations`,
  );
});
