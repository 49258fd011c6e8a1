import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { onceCases } from './model/once-cases.ts';
import { onceDeathCases } from './model/once-death-cases.ts';

testModels('once', [...onceCases(core), ...onceDeathCases(core)]);
