import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import { EventStormDriver } from './support/event-storm-driver.ts';

const WORKERS = 5;

test.each([...atFullDepth(4), 256])('no signal is lost or doubled when workers die (buckets: %i)', async (buckets) => {
  const session = new Session(`events, ${buckets} buckets`);
  const driver = new EventStormDriver(WORKERS, buckets);
  await new DeathStorm({ workers: WORKERS, reclaims: 0, deaths: soakSize(55, 4000) }, session, driver).run();
  console.log(
    `  signals that dead workers had taken: ${driver.givenForTheDead}, that they may have taken: ${driver.lostUnseen}`,
  );
});
