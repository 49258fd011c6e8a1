// @ts-check
import { RwLock } from '@sluice/rw-lock';
import { subjectOf } from './primitive.mjs';

export const { create, open, wakeUps } = subjectOf(RwLock, ({ writer }) => writer);
