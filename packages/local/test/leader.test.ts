// Tests leaders and elections for scheduled jobs between processes.

import { expect, test } from 'vitest';
import { elections, leaders, LEADERS } from '../../remote/test/programs/leaders.ts';
import { makeOpen } from './support/spaces.ts';

test('a leader is followed by the next candidate when it resigns and when its space closes', async () => {
  const open = makeOpen();
  expect(await leaders(await open(), await open(), await open())).toEqual(LEADERS);
});

test('a coordinator for node-cron elects one process for each time', async () => {
  const open = makeOpen();
  expect(new Set(await elections(await open(), await open()))).toEqual(new Set([1]));
});
