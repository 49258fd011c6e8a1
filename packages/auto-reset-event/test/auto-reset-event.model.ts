import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { eventCases } from './model/event-cases.ts';
import { eventDeathCases } from './model/event-death-cases.ts';

testModels('event', [...eventCases(core), ...eventDeathCases(core)]);
