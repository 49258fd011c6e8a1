// @ts-check
import { Mutex } from '@sluice/mutex';
import { AutoResetEventCondVar } from '../subjects/auto-reset-event-cond-var.mjs';
import { kickTester } from './kick.mjs';

export const { create, open, passed } = kickTester(
  (arena) => ({ mutex: Mutex.create({ arena }).handle, words: AutoResetEventCondVar.createWords() }),
  ({ mutex: handle, words }) => {
    const mutex = Mutex.from(handle);
    return new AutoResetEventCondVar({ acquire: () => mutex.lock(), release: () => mutex.unlock() }, words);
  },
);
