// @ts-check
import { RecursiveMutex } from '@sluice/mutex';
import { subjectOf } from './primitive.mjs';

export const { create, open, wakeUps } = subjectOf(RecursiveMutex, (mutex) => mutex);
