import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { tableCases, tableDeathCases } from './model/table-cases.ts';

testModels('table of names', [...tableCases(core), ...tableDeathCases(core)]);
