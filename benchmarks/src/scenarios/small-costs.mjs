// @ts-check
import { sideBySide } from '../lib/side-by-side.mjs';

export const name = 'small-costs';
export const summary =
  'costs that decisions rest on: a callback of the next turn, and a check that holds in every realm';
export const run = sideBySide('small-costs');
