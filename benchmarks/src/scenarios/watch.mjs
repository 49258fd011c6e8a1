// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'watch';
export const summary = 'the latest value from thread to thread: WatchCell beside BroadcastChannel and postMessage';
export const run = sideBySide('watch');
