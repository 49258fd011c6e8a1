import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { mutexCases } from './model/mutex-cases.ts';
import { mutexDeathCases } from './model/mutex-death-cases.ts';

testModels('mutex', [...mutexCases(core), ...mutexDeathCases(core), ...mutexCases(core, 'turns'), ...mutexDeathCases(core, 'turns')]);
