import { testModels } from '../../core/test/model/office-run.ts';
import * as core from './model/entry.ts';
import { eventCases, eventDeathCases } from './model/event-cases.ts';

testModels('manual event', [...eventCases(core), ...eventDeathCases(core)]);
