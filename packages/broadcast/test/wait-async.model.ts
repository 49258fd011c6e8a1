import { lowered } from '../../core/test/model/mutate.ts';
import { testModels } from '../../core/test/model/office-run.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';
import { asyncWaitCases } from './model/wait-async-cases.ts';

testModels('broadcast that waits, async', asyncWaitCases(await lowered<BroadcastCore>(new URL('model/entry.ts', import.meta.url))));
