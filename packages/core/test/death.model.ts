import { deathCases } from './model/death-cases.ts';
import * as core from './model/entry.ts';
import { testModels } from './model/office-run.ts';

testModels('death', deathCases(core));
