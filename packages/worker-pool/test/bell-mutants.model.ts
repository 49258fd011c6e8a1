import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { bellCases } from './model/bell-cases.ts';
import type { PoolCore } from './model/claim-cases.ts';
import { BELL_MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('bell', BELL_MUTANTS, async (mutant) => bellCases(await mutate<PoolCore>(mutant, ENTRY)));
