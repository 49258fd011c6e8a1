import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { claimCases, type PoolCore } from './model/claim-cases.ts';
import { MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('claims', MUTANTS, async (mutant) => claimCases(await mutate<PoolCore>(mutant, ENTRY)));
