import { testModels } from '../../core/test/model/office-run.ts';
import { bellCases } from './model/bell-cases.ts';
import * as core from './model/entry.ts';

testModels('bell', bellCases(core));
