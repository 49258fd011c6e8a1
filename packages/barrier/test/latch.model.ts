import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { latchCases } from './model/latch-cases.ts';
import { latchDeathCases } from './model/latch-death-cases.ts';

testModels('latch', [...latchCases(core), ...latchDeathCases(core)]);
