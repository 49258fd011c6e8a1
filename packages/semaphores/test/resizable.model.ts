import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { resizableCases } from './model/resizable-cases.ts';

testModels('resizable', resizableCases(core));
