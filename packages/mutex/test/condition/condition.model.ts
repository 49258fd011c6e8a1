import { testModels } from '../../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { conditionCases } from './model/condition-cases.ts';
import { conditionDeathCases } from './model/condition-death-cases.ts';

testModels('condition', [...conditionCases(core), ...conditionDeathCases(core)]);
