import { mutate } from '../../../core/test/model/mutate.ts';
import { testMutants } from '../../../core/test/model/office-run.ts';
import type { FamilyCore } from './model/family-cases.ts';
import { mergeCases } from './model/merge-cases.ts';
import { MERGE_MUTANTS } from './model/merge-mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('merge', MERGE_MUTANTS, async (mutant) => mergeCases(await mutate<FamilyCore>(mutant, ENTRY)));
