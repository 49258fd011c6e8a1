import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { eventCases, eventDeathCases } from './model/event-cases.ts';
import type { EventCore } from './model/event-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('manual event', MUTANTS, async (mutant) => eventCases(await mutate<EventCore>(mutant, ENTRY)));
testMutants('manual event death', DEATH_MUTANTS, async (mutant) => eventDeathCases(await mutate<EventCore>(mutant, ENTRY)));
