import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import { GateStormDriver } from './support/gate-storm-driver.ts';
import { PairStormDriver } from './support/pair-storm-driver.ts';

const WORKERS = 5;
const GATES = 'a capacitor does not stay closed after deaths';
const LOCKS = 'a lock behind a capacitor is inherited after deaths';
const STORMS = [
  ...atFullDepth([
    GATES,
    'the main thread recovers them, with few buckets',
    { StormDriver: GateStormDriver, buckets: 4, reclaims: 0, deaths: 55 },
  ]),
  [
    GATES,
    'the main thread and the workers recover them',
    { StormDriver: GateStormDriver, buckets: 256, reclaims: 5, deaths: 55 },
  ],
  ...atFullDepth([
    LOCKS,
    'the main thread recovers the dead',
    { StormDriver: PairStormDriver, buckets: 4, reclaims: 0, deaths: 55 },
  ]),
  [
    LOCKS,
    'the main thread and the workers recover the dead',
    { StormDriver: PairStormDriver, buckets: 256, reclaims: 5, deaths: 55 },
  ],
] as const;

test.each(STORMS)('%s: %s', async (promise, what, { StormDriver, buckets, reclaims, deaths }) => {
  const session = new Session(`${promise}: ${what}`);
  const driver = new StormDriver(WORKERS, buckets, reclaims === 0);
  await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(deaths, 4000) }, session, driver).run();
});
