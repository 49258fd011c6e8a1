import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import { GateGround } from './support/gate-ground.ts';
import { PairGround } from './support/pair-ground.ts';

const WORKERS = 5;
const GATES = 'a capacitor does not stay closed after deaths';
const LOCKS = 'a lock behind a capacitor is inherited after deaths';
const STORMS = [
  ...atFullDepth([
    GATES,
    'the main thread recovers them, with few buckets',
    { Ground: GateGround, buckets: 4, reclaims: 0, deaths: 55 },
  ]),
  [
    GATES,
    'the main thread and the workers recover them',
    { Ground: GateGround, buckets: 256, reclaims: 5, deaths: 55 },
  ],
  ...atFullDepth([
    LOCKS,
    'the main thread recovers the dead',
    { Ground: PairGround, buckets: 4, reclaims: 0, deaths: 55 },
  ]),
  [
    LOCKS,
    'the main thread and the workers recover the dead',
    { Ground: PairGround, buckets: 256, reclaims: 5, deaths: 55 },
  ],
] as const;

test.each(STORMS)('%s: %s', async (promise, what, { Ground, buckets, reclaims, deaths }) => {
  const session = new Session(`${promise}: ${what}`);
  const ground = new Ground(WORKERS, buckets, reclaims === 0);
  await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(deaths, 4000) }, session, ground).run();
});
