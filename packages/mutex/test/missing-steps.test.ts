import { Arena } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { expect, test } from 'vitest';
import { Mutex } from '../src/index.ts';
import { jsMutex } from '../src/js.ts';

test('create() in an arena whose engine lacks the steps of the mutex throws a MisuseError that names the engine with all steps', () => {
  const arena = Arena.create({ maxPages: 2, engine: jsEngine });
  expect(() => Mutex.create({ arena })).toThrow(
    "no steps of @sluice/mutex. Nothing was made. Open the arena with an engine that has them: import { jsEngine } from 'sluice/js'",
  );
  expect(() => Mutex.create({ arena })).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
});

test('lock() works in an arena whose engine has the steps of the mutex', () => {
  const arena = Arena.create({ maxPages: 2, engine: jsEngine.with(jsMutex) });
  expect(Mutex.create({ arena }).tryLock()).toBe(true);
});
