import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { eventCountCases } from './model/event-count-cases.ts';
import type { PoolCore } from './model/claim-cases.ts';
import { EVENT_COUNT_MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('event count', EVENT_COUNT_MUTANTS, async (mutant) => eventCountCases(await mutate<PoolCore>(mutant, ENTRY)));
