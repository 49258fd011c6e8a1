// Kills processes that use a cache and the limits of keys. After each death the others go on, and no value is torn.

import { byDepth, soak } from '@sluice/harness';
import { expect } from 'vitest';
import * as deaths from '../../remote/test/programs/deaths-of-cachers.ts';
import { end, start, type Child } from './support/children.ts';
import { onServer, until, type Ground } from './support/server.ts';

const KILLS = soak > 1 ? 300 : byDepth({ quick: 2, ci: 5, full: 100 });

const parts = ({ url, namespace }: Ground): deaths.Deaths<Child> => ({
  begin: (what) => start('cacher', url, namespace, String(deaths.LEASE), what),
  end,
  until,
});

onServer('kill -9', (it) => {
  it(`of ${KILLS} processes that use a cache and limits of keys tears no value, and stops no other process`, async (ground) => {
    const { wrong, rounds } = await deaths.deathsOfCachers(parts(ground), KILLS);
    expect(wrong).toEqual([]);
    console.log(`${KILLS} deaths, ${rounds} rounds, 0 torn values, 0 stuck`);
  }, 1_800_000);

  it('of a process that computes a value lets the next waiter compute it, once for all', async (ground) => {
    const { open } = ground;
    const spaces = [await open({ lease: deaths.LONG }), await open({ lease: deaths.LONG })] as const;
    expect(await deaths.deathOfComputer(parts(ground), spaces)).toEqual(deaths.COMPUTED_ONCE);
  });

  it('of a process with the slot of a key gives the slot to the next call of the key', async (ground) => {
    const space = await ground.open({ lease: deaths.LONG });
    expect(await deaths.deathOfTenant(parts(ground), space)).toEqual(deaths.NEXT_OF_TENANT);
  });
});
