import { entriesCases } from './model/entries-cases.ts';
import { ENTRIES_MUTANTS } from './model/entries-mutants.ts';
import * as core from './model/entry.ts';
import { mutate } from './model/mutate.ts';
import { testModels, testMutants } from './model/office-run.ts';

testModels('entries', entriesCases(core));
testMutants('entries', ENTRIES_MUTANTS, async (mutant) => entriesCases(await mutate(mutant)));
