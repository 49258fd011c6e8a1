// @ts-check
import { Mutex } from '@sluice/mutex';
import { subjectOf } from './primitive.mjs';

export const { create, open, wakeUps } = subjectOf(Mutex, (mutex) => mutex);
