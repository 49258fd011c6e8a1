import { testModels } from '../../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { watchCases, watchDeathCases } from './model/watch-cases.ts';

testModels('watch cell', [...watchCases(core), ...watchDeathCases(core)]);
