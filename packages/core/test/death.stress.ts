import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from './support/death-storm.ts';
import { SemaphoreStormDriver } from './support/semaphore-storm-driver.ts';

const WORKERS = 5;
const STORMS = [
  ...atFullDepth([
    'the main thread recovers dead workers, with few buckets',
    { buckets: 8, reclaims: 0, locked: false },
  ]),
  ['the main thread and the workers recover dead workers', { buckets: 256, reclaims: 5, locked: false }],
  ['workers die with owned locks', { buckets: 8, reclaims: 5, locked: true }],
] as const;

test.each(STORMS)('nothing is lost when %s', async (what, { buckets, reclaims, locked }) => {
  const session = new Session(what);
  const driver = new SemaphoreStormDriver(WORKERS, buckets, locked);
  await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(70, 6700) }, session, driver).run();
});
