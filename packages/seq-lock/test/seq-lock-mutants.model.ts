import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';
import { seqCases, seqDeathCases } from './model/seq-cases.ts';
import type { SeqCore } from './model/seq-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('seq-lock', MUTANTS, async (mutant) => seqCases(await mutate<SeqCore>(mutant, ENTRY)));
testMutants('seq-lock death', DEATH_MUTANTS, async (mutant) => seqDeathCases(await mutate<SeqCore>(mutant, ENTRY)));
