import { explore, report } from '@sluice/model';
import { expect, test } from 'vitest';
import * as core from './model/entry.ts';
import { gatherCases } from './model/gather-cases.ts';

for (const { scenario, options } of gatherCases(core)) {
  test(`gather model: ${scenario.name}`, () => {
    const result = explore(scenario, options);
    console.log(report(result));
    expect(result.failure).toBeUndefined();
    expect(result.exhausted).toBe(true);
  });
}
