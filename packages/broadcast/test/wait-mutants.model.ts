import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';
import { waitCases, waitDeathCases } from './model/wait-cases.ts';
import { WAIT_DEATH_MUTANTS, WAIT_MUTANTS } from './model/wait-mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('broadcast that waits', WAIT_MUTANTS, async (mutant) => waitCases(await mutate<BroadcastCore>(mutant, ENTRY)));
testMutants('broadcast that waits, death', WAIT_DEATH_MUTANTS, async (mutant) => waitDeathCases(await mutate<BroadcastCore>(mutant, ENTRY)));
