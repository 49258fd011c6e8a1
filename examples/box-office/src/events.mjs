// @ts-check
// The four events by the names that the program prints.
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { BoxOfficeEvent } from './box-office-event.mjs';
import { AutoResetEventCondVar } from './cond-var-event.mjs';
import { MutexOfficeEvent } from './mutex-office-event.mjs';

/** @typedef {{ readonly handle: object, signal(): void, wait(): void }} Event */
/** @typedef {{ create(): Event, from(handle: never): Event }} EventClass */

/** @type {Readonly<Record<string, EventClass>>} */
export const EVENTS = {
  'condition variable': AutoResetEventCondVar,
  'step 1: a bouncer': MutexOfficeEvent,
  'step 2: no mutex': BoxOfficeEvent,
  'AutoResetEvent of Sluice': AutoResetEvent,
};
