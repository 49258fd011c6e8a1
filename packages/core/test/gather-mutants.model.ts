import { explore, summary } from '@sluice/model';
import { expect, test } from 'vitest';
import { gatherCases } from './model/gather-cases.ts';
import { GATHER_MUTANTS } from './model/gather-mutants.ts';
import { mutate } from './model/mutate.ts';

for (const mutant of GATHER_MUTANTS) {
  test(`gather mutant is caught: ${mutant.name}`, async () => {
    const cases = gatherCases(await mutate(mutant));
    const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
    expect(named, `no case is called ${mutant.caughtBy}`).toBeDefined();
    if (named === undefined) return;
    const result = explore(named.scenario, { ...named.options, simplify: false });
    console.log(summary(result));
    // Not by an error: that would be a mutant that does not even run.
    expect(['deadlock', 'invariant', 'assertion']).toContain(result.failure?.kind);
  });
}
