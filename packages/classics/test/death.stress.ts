import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import { LocksStormDriver } from './support/locks-storm-driver.ts';

const WORKERS = 5;
const STORMS = [
  ...atFullDepth(['the main thread recovers the dead, with few buckets', { buckets: 4, reclaims: 0, deaths: 55 }]),
  ['the main thread and the workers recover the dead', { buckets: 256, reclaims: 5, deaths: 55 }],
] as const;

test.each(STORMS)(
  'a lock never has two owners, and is never lost, when %s',
  async (what, { buckets, reclaims, deaths }) => {
    const session = new Session(`five locks: ${what}`);
    const driver = new LocksStormDriver(WORKERS, buckets, reclaims === 0);
    await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(deaths, 4000) }, session, driver).run();
  },
);
