import { explore, summary } from '@sluice/model';
import { expect, test } from 'vitest';
import { MUTANTS } from './model/mutants.ts';
import { mutate } from './model/mutate.ts';
import { semaphoreCases } from './model/semaphore-cases.ts';

test('semaphore mutants: there are at least eight', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(8);
});

for (const mutant of MUTANTS) {
  test(`semaphore mutant is caught: ${mutant.name}`, async () => {
    const cases = semaphoreCases(await mutate(mutant));
    const named = cases.find(({ scenario }) => scenario.name === mutant.caughtBy);
    expect(named, `no case is called ${mutant.caughtBy}`).toBeDefined();
    if (named === undefined) return;
    const result = explore(named.scenario, { ...named.options, simplify: false });
    console.log(summary(result));
    // Not by an error: that would be a mutant that does not even run.
    expect(['deadlock', 'invariant', 'assertion']).toContain(result.failure?.kind);
  });
}
