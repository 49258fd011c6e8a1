import { testModels, testMutants } from './model/office-run.ts';
import * as core from './model/entry.ts';
import { joinCases } from './model/join-cases.ts';
import { leaveCases } from './model/leave-cases.ts';
import { LEAVE_MUTANTS } from './model/leave-mutants.ts';
import { mutate } from './model/mutate.ts';

const casesOf = (source: typeof core) => [...leaveCases(source), ...joinCases(source)];

testModels('join and leave', casesOf(core));
testMutants('join and leave', LEAVE_MUTANTS, async (mutant) => casesOf(await mutate(mutant)));
