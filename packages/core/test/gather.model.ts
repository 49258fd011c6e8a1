import * as core from './model/entry.ts';
import { gatherCases } from './model/gather-cases.ts';
import { testModels } from './model/office-run.ts';

testModels('gather', gatherCases(core));
