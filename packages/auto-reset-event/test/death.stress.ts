import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import { EventGround } from './support/event-ground.ts';

const WORKERS = 5;

test.each([...atFullDepth(4), 256])('no signal is lost or doubled when workers die (buckets: %i)', async (buckets) => {
  const session = new Session(`events, ${buckets} buckets`);
  const ground = new EventGround(WORKERS, buckets);
  await new DeathStorm({ workers: WORKERS, reclaims: 0, deaths: soakSize(55, 4000) }, session, ground).run();
  console.log(
    `  signals that dead workers had taken: ${ground.givenForTheDead}, that they may have taken: ${ground.lostUnseen}`,
  );
});
