import { expect, test } from 'vitest';
import * as core from '../src/index.ts';

const CODES = {
  TimeoutError: 'SLUICE_TIMEOUT',
  DeadlockError: 'SLUICE_DEADLOCK',
  MisuseError: 'SLUICE_MISUSE',
  OwnerDiedError: 'SLUICE_OWNER_DIED',
  ClosedError: 'SLUICE_CLOSED',
  BrokenBarrierError: 'SLUICE_BROKEN_BARRIER',
  CancelledError: 'SLUICE_CANCELLED',
  HandleError: 'SLUICE_HANDLE',
  ArenaFullError: 'SLUICE_ARENA_FULL',
  UnsupportedError: 'SLUICE_UNSUPPORTED',
  CorruptArenaError: 'SLUICE_CORRUPT_ARENA',
} as const;

test.each(Object.entries(CODES))('%s is a SluiceError with the code %s', (name, code) => {
  const error = new core[name as keyof typeof CODES]('what happened');
  expect(error).toBeInstanceOf(core.SluiceError);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name, code, message: 'what happened' });
  expect(String(error)).toBe(`${name}: what happened`);
});

test('the list above names every error class that the package exports', () => {
  const exported = Object.keys(core).filter((name) => name.endsWith('Error') && name !== 'SluiceError');
  expect(exported.sort()).toEqual(Object.keys(CODES).sort());
});
