import { lowered } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';
import { asyncWaitCases } from './model/wait-async-cases.ts';
import { WAIT_ASYNC_MUTANTS } from './model/wait-mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('broadcast that waits, async', WAIT_ASYNC_MUTANTS, async (mutant) => asyncWaitCases(await lowered<BroadcastCore>(ENTRY, mutant)));
