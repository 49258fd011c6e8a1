import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { latchCases } from './model/latch-cases.ts';
import { latchDeathCases } from './model/latch-death-cases.ts';
import type { LatchCore } from './model/latch-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('latch', MUTANTS, async (mutant) => latchCases(await mutate<LatchCore>(mutant, ENTRY)));
testMutants('latch death', DEATH_MUTANTS, async (mutant) => latchDeathCases(await mutate<LatchCore>(mutant, ENTRY)));
