// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'once';
export const summary = 'Once and Lazy, done and at their first call, beside what people write by hand';
export const run = sideBySide('once');
