import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { lockCases } from './model/lock-cases.ts';
import { lockDeathCases } from './model/lock-death-cases.ts';
import type { LocksCore } from './model/lock-kinds.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('locks', MUTANTS, async (mutant) => lockCases(await mutate<LocksCore>(mutant, ENTRY)));
testMutants('locks death', DEATH_MUTANTS, async (mutant) => lockDeathCases(await mutate<LocksCore>(mutant, ENTRY)));
