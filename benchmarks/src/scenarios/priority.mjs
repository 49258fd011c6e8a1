// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'priority';
export const summary =
  'calls with priorities in one thread: PrioritySemaphore beside async-mutex, a limit beside p-queue';
export const run = sideBySide('priority');
