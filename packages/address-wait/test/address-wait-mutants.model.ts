import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { addressWaitCases } from './model/address-wait-cases.ts';
import { WAIT_MUTANTS } from './model/mutants.ts';
import type { WaitCore } from './model/ways.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('address wait', WAIT_MUTANTS, async (mutant) => addressWaitCases(await mutate<WaitCore>(mutant, ENTRY)));
