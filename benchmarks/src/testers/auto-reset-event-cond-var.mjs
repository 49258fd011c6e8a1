// @ts-check
import { AutoResetEventCondVar } from '../subjects/auto-reset-event-cond-var.mjs';
import * as textbookMutex from '../subjects/textbook-mutex.mjs';
import { kickTester } from './kick.mjs';

export const { create, open, passed } = kickTester(
  () => ({ mutex: textbookMutex.create(), words: AutoResetEventCondVar.createWords() }),
  ({ mutex, words }) => new AutoResetEventCondVar(textbookMutex.open(mutex), words),
);
