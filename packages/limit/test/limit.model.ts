import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { limitCases } from './model/limit-cases.ts';

testModels('limit', limitCases(core));
