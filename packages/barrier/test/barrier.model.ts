import { testModels } from '../../core/test/model/office-run.ts';
import { barrierCases } from './model/barrier-cases.ts';
import { barrierDeathCases } from './model/barrier-death-cases.ts';
import * as core from './model/entry.ts';

testModels('barrier', [...barrierCases(core), ...barrierDeathCases(core)]);
