import { mutate } from '../../core/test/model/mutate.ts';
import { testMutants } from '../../core/test/model/office-run.ts';
import { DEATH_MUTANTS, MUTANTS } from './model/mutants.ts';
import { eventCases } from './model/event-cases.ts';
import { eventDeathCases } from './model/event-death-cases.ts';
import type { EventCore } from './model/event-world.ts';

const ENTRY = new URL('model/entry.ts', import.meta.url);

testMutants('event', MUTANTS, async (mutant) => eventCases(await mutate<EventCore>(mutant, ENTRY)));
testMutants('event death', DEATH_MUTANTS, async (mutant) => eventDeathCases(await mutate<EventCore>(mutant, ENTRY)));
