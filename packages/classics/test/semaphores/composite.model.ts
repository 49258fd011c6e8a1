import { testModels } from '../../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { lightweightCases } from './model/lightweight-cases.ts';
import { multilaneCases } from './model/multilane-cases.ts';

testModels('composite', [...lightweightCases(core), ...multilaneCases(core)]);
