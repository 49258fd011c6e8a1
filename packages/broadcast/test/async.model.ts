import { lowered } from '../../core/test/model/mutate.ts';
import { testModels } from '../../core/test/model/office-run.ts';
import { asyncBroadcastCases } from './model/async-cases.ts';
import type { BroadcastCore } from './model/broadcast-world.ts';

testModels('async broadcast', asyncBroadcastCases(await lowered<BroadcastCore>(new URL('model/entry.ts', import.meta.url))));
