import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { rwCases } from './model/rw-cases.ts';
import { rwDeathCases } from './model/rw-death-cases.ts';

testModels('rw-lock', [...rwCases(core), ...rwDeathCases(core), ...rwCases(core, 'turns'), ...rwDeathCases(core, 'turns')]);
