import { lowered } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { asyncBroadcastCases } from './model/async-cases.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';
import { ASYNC_MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('async broadcast', ASYNC_MUTANTS, async (mutant) => asyncBroadcastCases(await lowered<BroadcastCore>(ENTRY, mutant)));
