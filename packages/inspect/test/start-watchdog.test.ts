// Tests the arguments of `startWatchdog`. watchdog.stress.ts tests its thread.

import { expect, test } from 'vitest';
import { Arena } from '../../core/src/index.ts';
import { startWatchdog } from '../src/watchdog/start-watchdog.ts';

test.each([
  [7, {}, TypeError, 'The arena'],
  [undefined, 5000, TypeError, 'The options must be an object'],
  [undefined, { seconds: 5 }, TypeError, 'Unknown option "seconds"'],
  [undefined, { after: 0 }, RangeError, 'after must be a whole number'],
  [undefined, { after: '5' }, TypeError, 'after must be a number'],
  [undefined, { lines: 0 }, RangeError, 'lines must be a whole number'],
  [undefined, { signal: 12 }, TypeError, 'signal must be the name of a signal: received 12'],
  [undefined, { signal: 'USR2' }, RangeError, 'signal must be a signal that a program can handle'],
  [undefined, { signal: 'SIGKILL' }, RangeError, 'signal must be a signal that a program can handle'],
])('startWatchdog(%o, %o) throws', (arena, options, error, message) => {
  const call = (): unknown => startWatchdog(arena as never, options as never);
  expect(call).toThrow(error);
  expect(call).toThrow(message);
});

test('startWatchdog refuses an arena that this agent has left', () => {
  const arena = Arena.create({ maxPages: 4 });
  arena.leave();
  expect(() => startWatchdog(arena)).toThrow(/left/);
});
