import { testModels } from '../../core/test/model/office-run.ts';
import { eventCountCases } from './model/event-count-cases.ts';
import * as core from './model/entry.ts';

testModels('event count', eventCountCases(core));
