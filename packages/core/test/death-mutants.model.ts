import { explore, summary } from '@sluice/model';
import { expect, test } from 'vitest';
import { deathCases } from './model/death-cases.ts';
import { DEATH_MUTANTS } from './model/death-mutants.ts';
import { mutate } from './model/mutate.ts';

for (const mutant of DEATH_MUTANTS) {
  test(`death mutant is caught: ${mutant.name}`, async () => {
    const cases = deathCases(await mutate(mutant));
    const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
    expect(named, `no case is called ${mutant.caughtBy}`).toBeDefined();
    if (named === undefined) return;
    const result = explore(named.scenario, { ...named.options, simplify: false });
    console.log(summary(result));
    // Not by an error: that would be a mutant that does not even run.
    expect(['deadlock', 'invariant', 'assertion']).toContain(result.failure?.kind);
  });
}
