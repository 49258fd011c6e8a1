// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'rate-limit';
export const summary = 'calls a second through a rate limiter, against p-queue and limiter, in one thread';
export const run = sideBySide('rate-limit');
