import { deathCases } from './model/death-cases.ts';
import { DEATH_MUTANTS } from './model/death-mutants.ts';
import { mutate } from './model/mutate.ts';
import { testMutants } from './model/office-run.ts';

testMutants('death', DEATH_MUTANTS, async (mutant) => deathCases(await mutate(mutant)));
