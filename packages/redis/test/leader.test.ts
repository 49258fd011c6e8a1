// Tests leaders and elections for scheduled jobs over a server.

import { expect } from 'vitest';
import { elections, leaders, LEADERS } from '../../remote/test/programs/leaders.ts';
import { failureOf, onServer } from './support/server.ts';

onServer('a leader', (it) => {
  it('is followed by the next candidate when it resigns and when its space closes', async ({ open }) => {
    expect(await leaders(await open(), await open(), await open())).toEqual(LEADERS);
  });

  it('is refused with a wrong name, body or option', async ({ open }) => {
    const space = await open();
    expect(await failureOf(space.leader('', () => undefined))).toBeInstanceOf(RangeError);
    expect(await failureOf(space.leader('a', 'body' as never))).toBeInstanceOf(TypeError);
    expect(await failureOf(space.leader('a', () => undefined, { timeout: 1 } as never))).toBeInstanceOf(TypeError);
  });
});

onServer('a coordinator for node-cron', (it) => {
  it('elects one process for each time', async ({ open }) => {
    expect(new Set(await elections(await open(), await open()))).toEqual(new Set([1]));
  });
});
