import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { broadcastCases, broadcastDeathCases } from './model/broadcast-cases.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('broadcast', MUTANTS, async (mutant) => broadcastCases(await mutate<BroadcastCore>(mutant, ENTRY)));
testMutants('broadcast death', DEATH_MUTANTS, async (mutant) => broadcastDeathCases(await mutate<BroadcastCore>(mutant, ENTRY)));
