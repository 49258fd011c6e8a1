import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { limitCases } from './model/limit-cases.ts';
import type { LimitCore } from './model/limit-world.ts';
import { MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('limit', MUTANTS, async (mutant) => limitCases(await mutate<LimitCore>(mutant, ENTRY)));
