import { explore, summary } from '@sluice/model';
import { expect, test } from 'vitest';
import * as core from './model/entry.ts';
import { mutate } from './model/mutate.ts';
import { someOf, testModels } from './model/office-run.ts';
import { heapCases } from './model/heap-cases.ts';
import { reuseCases } from './model/reuse-cases.ts';
import { REUSE_MUTANTS } from './model/reuse-mutants.ts';

const casesOf = (source: typeof core) => [...reuseCases(source), ...heapCases(source)];

testModels('memory', casesOf(core));

for (const mutant of someOf(REUSE_MUTANTS)) {
  test(`memory mutant is caught: ${mutant.name}`, async () => {
    const named = casesOf(await mutate(mutant)).find(({ scenario }) => scenario.name === mutant.caughtBy);
    if (named === undefined) throw new Error(`no case is called ${mutant.caughtBy}`);
    const result = explore(named.scenario, { ...named.options, simplify: false });
    console.log(summary(result));
    const isFound = ['deadlock', 'invariant', 'assertion'].includes(result.failure?.kind ?? '');
    // The heap itself finds that a block on a list is none.
    expect(isFound || result.failure?.message.includes('CorruptArenaError')).toBe(true);
  });
}
