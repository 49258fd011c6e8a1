// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'named';
export const summary = 'locks by name: LockManager beside the Web Locks of Node 24, KeyedMutex beside async-lock';
export const run = sideBySide('named');
