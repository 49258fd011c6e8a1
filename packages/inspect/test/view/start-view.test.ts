// Tests the arguments of `startView`. view.stress.ts tests its thread.

import { expect, test } from 'vitest';
import { Arena } from '../../../core/src/index.ts';
import { startView } from '../../src/view/start-view.ts';

test.each([
  [7, {}, TypeError, 'The arena'],
  [undefined, 7411, TypeError, 'The options must be an object'],
  [undefined, { host: '0.0.0.0' }, TypeError, 'Unknown option "host"'],
  [undefined, { port: -1 }, RangeError, 'port must be a whole number'],
  [undefined, { port: 65_536 }, RangeError, 'port must be a whole number'],
  [undefined, { port: '7411' }, TypeError, 'port must be a number'],
])('startView(%o, %o) throws', (arena, options, error, message) => {
  const call = (): unknown => startView(arena as never, options as never);
  expect(call).toThrow(error);
  expect(call).toThrow(message);
});

test('startView refuses an arena that this agent has left', () => {
  const arena = Arena.create({ maxPages: 4 });
  arena.leave();
  expect(() => startView(arena)).toThrow(/left/);
});
