import { Session, soakSize } from '@sluice/harness';
import { test } from 'vitest';
import { DeathStorm, type DeathStormOptions } from './support/death-storm.ts';

const STORMS: readonly (readonly [what: string, storm: Omit<DeathStormOptions, 'deaths'>])[] = [
  ['the main thread recovers the dead, with few buckets', { workers: 5, buckets: 8, reclaims: 0 }],
  ['the main thread and the workers recover the dead', { workers: 5, reclaims: 5 }],
  ['workers die with owned locks', { workers: 5, buckets: 8, reclaims: 5, locked: true }],
];

test.each(STORMS)('nothing is lost when %s', async (what, storm) => {
  const session = new Session(what);
  await new DeathStorm({ ...storm, deaths: soakSize(120, 6700) }, session).run();
});
