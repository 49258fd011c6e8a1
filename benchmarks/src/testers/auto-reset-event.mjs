// @ts-check
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { kickTester } from './kick.mjs';

export const { create, open, passed } = kickTester(
  (arena) => AutoResetEvent.create({ arena }).handle,
  (handle) => AutoResetEvent.from(handle),
);
