// Tests several locks of a space at once, over a server.

import { expect } from 'vitest';
import * as programs from '../../remote/test/programs/several-locks.ts';
import { onServer } from './support/server.ts';

onServer('several locks of a space', (it) => {
  it('are taken by five philosophers in two processes without a deadlock', async ({ open }) => {
    expect(await programs.philosophers(await open(), await open())).toEqual(programs.PHILOSOPHERS);
  });

  it('are of any kind, and are given back together', async ({ open }) => {
    expect(await programs.severalKinds(await open(), await open())).toEqual(programs.SEVERAL_KINDS);
  });

  it('are refused if they are none, or too many permits', async ({ open }) => {
    expect(await programs.refusedLocks(await open(), await open())).toEqual(programs.REFUSED_LOCKS);
  });
});
