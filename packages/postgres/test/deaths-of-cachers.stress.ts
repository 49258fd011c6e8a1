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

onServer('processes that are killed', (it) => {
  it(`no value is torn and no other process stops when ${KILLS} processes with a cache and limits of keys are killed`, async (ground) => {
    const { wrong, rounds } = await deaths.deathsOfCachers(parts(ground), KILLS);
    expect(wrong).toEqual([]);
    console.log(`${KILLS} deaths, ${rounds} rounds, 0 torn values, 0 stuck`);
  }, 1_800_000);

  it('the next waiter computes a value, once for all, when the process that computes it is killed', async (ground) => {
    const { open } = ground;
    const spaces = [await open({ lease: deaths.LONG }), await open({ lease: deaths.LONG })] as const;
    expect(await deaths.deathOfComputer(parts(ground), spaces)).toEqual(deaths.COMPUTED_ONCE);
  });

  it('the next call of a key gets its slot when the process with the slot is killed', async (ground) => {
    const space = await ground.open({ lease: deaths.LONG });
    expect(await deaths.deathOfTenant(parts(ground), space)).toEqual(deaths.NEXT_OF_TENANT);
  });
});
