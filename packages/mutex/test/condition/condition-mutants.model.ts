import { mutate } from '../../../core/test/model/mutate.ts';
import { testMutants } from '../../../core/test/model/office-run.ts';
import { conditionCases } from './model/condition-cases.ts';
import { conditionDeathCases } from './model/condition-death-cases.ts';
import type { ConditionCore } from './model/condition-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('condition', MUTANTS, async (mutant) => conditionCases(await mutate<ConditionCore>(mutant, ENTRY)));
testMutants('condition death', DEATH_MUTANTS, async (mutant) => conditionDeathCases(await mutate<ConditionCore>(mutant, ENTRY)));
