import { explore, report, type Result } from '@sluice/model';
import { afterAll, expect, test } from 'vitest';
import { deathCases } from './model/death-cases.ts';
import * as core from './model/entry.ts';

const results: Result[] = [];

for (const { scenario, options } of deathCases(core)) {
  test(`death model: ${scenario.name}`, () => {
    const result = explore(scenario, options);
    results.push(result);
    console.log(report(result));
    expect(result.failure).toBeUndefined();
    expect(result.exhausted).toBe(true);
  });
}

afterAll(() => {
  const sum = (count: (result: Result) => number): string =>
    results.reduce((total, result) => total + count(result), 0).toLocaleString('en');
  console.log(
    `death model: ${results.length} scenarios, ${sum(({ executions }) => executions)} complete schedules, ` +
      `${sum(({ merged }) => merged)} merged into known states, ${sum(({ operations }) => operations)} operations`,
  );
});
