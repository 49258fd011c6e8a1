import { explore, summary } from '@sluice/model';
import { expect, test } from 'vitest';
import { testModels } from '../../core/test/model/office-run.ts';
import { capacitorCases } from './model/capacitor-cases.ts';
import { capacitorDeathCases } from './model/capacitor-death-cases.ts';
import * as core from './model/entry.ts';
import { knownLaneCases, laneCases } from './model/lane-cases.ts';
import { lockCases, lockDeathCases } from './model/lock-cases.ts';
import { turnstileCases } from './model/turnstile-cases.ts';

testModels('capacitor', [
  ...capacitorCases(core),
  ...laneCases(core),
  ...capacitorDeathCases(core),
  ...turnstileCases(core),
  ...lockCases(core),
  ...lockDeathCases(core),
]);

for (const { scenario, options, kind } of knownLaneCases(core)) {
  test(`capacitor model fails as is known: ${scenario.name}`, () => {
    const result = explore(scenario, { ...options, simplify: false });
    console.log(summary(result));
    expect(result.failure?.kind).toBe(kind);
  });
}
