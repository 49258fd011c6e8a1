import { atFullDepth, Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm } from '../../core/test/support/death-storm.ts';
import { LocksGround } from './support/locks-ground.ts';

const WORKERS = 5;
const STORMS = [
  ...atFullDepth(['the main thread recovers the dead, with few buckets', { buckets: 4, reclaims: 0, deaths: 55 }]),
  ['the main thread and the workers recover the dead', { buckets: 256, reclaims: 5, deaths: 55 }],
] as const;

test.each(STORMS)(
  'a lock never has two owners, and is never lost, when %s',
  async (what, { buckets, reclaims, deaths }) => {
    const session = new Session(`five locks: ${what}`);
    const ground = new LocksGround(WORKERS, buckets, reclaims === 0);
    await new DeathStorm({ workers: WORKERS, reclaims, deaths: soakSize(deaths, 4000) }, session, ground).run();
  },
);
