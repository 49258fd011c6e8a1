import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { lockCases } from './model/lock-cases.ts';
import { lockDeathCases } from './model/lock-death-cases.ts';

testModels('locks', [...lockCases(core), ...lockDeathCases(core)]);
