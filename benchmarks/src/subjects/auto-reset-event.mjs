// @ts-check
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { subjectOf } from './primitive.mjs';

export const { create, open, wakeUps } = subjectOf(AutoResetEvent, (event) => event);
