// @ts-check
import { AutoResetEventCondVar } from '../subjects/auto-reset-event-cond-var.mjs';
import { monitors } from '../subjects/condition-variables.mjs';
import { kickTester } from './kick.mjs';

const monitor = monitors['Condition of a Mutex'];

export const { create, open, passed } = kickTester(
  (arena) => ({ handle: monitor.create(arena, 1), words: AutoResetEventCondVar.createWords() }),
  ({ handle, words }) => new AutoResetEventCondVar(monitor.open(/** @type {never} */ (handle)), words),
);
