import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { mutexPendingCases } from './model/mutex-pending-cases.ts';
import { PENDING_MUTANTS } from './model/mutex-pending-mutants.ts';
import type { MutexCore } from './model/mutex-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('mutex pending', PENDING_MUTANTS, async (mutant) => mutexPendingCases(await mutate<MutexCore>(mutant, ENTRY)));
