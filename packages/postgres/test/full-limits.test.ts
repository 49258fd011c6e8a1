// Tests limits with priorities, and with a maximum of waiting calls, over a server.

import { expect } from 'vitest';
import * as programs from '../../remote/test/programs/full-limits.ts';
import { onServer } from './support/server.ts';

onServer('a limit of a space', (it) => {
  it('starts waiting calls of a process by priority', async ({ open }) => {
    expect(await programs.priorities(await open())).toEqual(programs.PRIORITIES);
  });

  it('sheds calls beyond maxWaiting, over all processes', async ({ open }) => {
    expect(await programs.shedding(await open(), await open())).toEqual(programs.SHEDDING);
  });

  it('sheds the oldest call of the lowest priority on request', async ({ open }) => {
    expect(await programs.sheddingOldest(await open())).toEqual(programs.SHEDDING_OLDEST);
  });

  it('counts no call that clearQueue dropped, and runs none', async ({ open }) => {
    expect(await programs.clearing(await open())).toEqual(programs.CLEARING);
  });

  it('refuses what it cannot have by name', async ({ open }) => {
    expect(await programs.refusedLimits(await open())).toEqual(programs.REFUSED_LIMITS);
  });
});
