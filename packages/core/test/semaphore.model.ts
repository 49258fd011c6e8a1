import { explore, report, type Result } from '@sluice/model';
import { afterAll, expect, test } from 'vitest';
import * as core from './model/entry.ts';
import { semaphoreCases } from './model/semaphore-cases.ts';

const results: Result[] = [];

for (const { scenario, options } of semaphoreCases(core)) {
  test(`semaphore model: ${scenario.name}`, () => {
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
    `semaphore model: ${results.length} scenarios, ${sum(({ executions }) => executions)} complete schedules, ` +
      `${sum(({ merged }) => merged)} merged into known states, ${sum(({ operations }) => operations)} operations`,
  );
});
