import { gatherCases } from './model/gather-cases.ts';
import { GATHER_MUTANTS } from './model/gather-mutants.ts';
import { mutate } from './model/mutate.ts';
import { testMutants } from './model/office-run.ts';

testMutants('gather', GATHER_MUTANTS, async (mutant) => gatherCases(await mutate(mutant)));
