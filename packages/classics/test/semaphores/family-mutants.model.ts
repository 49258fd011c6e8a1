import { mutate } from '../../../core/test/model/mutate.ts';
import { testMutants } from '../../../core/test/model/office-run.ts';
import { familyCases, type FamilyCore } from './model/family-cases.ts';
import { FAMILY_MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('family', FAMILY_MUTANTS, async (mutant) => familyCases(await mutate<FamilyCore>(mutant, ENTRY)));
