// Schedules with a server that refuses writes.

import { RETRY_MS } from '../../../remote/src/session/attach.ts';
import { TwoProcesses, LEASE, lockOf, watch, type Directed } from './two-processes.ts';
import { settle, type Client } from './world.ts';

async function partWithoutMemory(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const semaphore = scene.first.space.semaphore('s', 3);
  void semaphore.acquireAsync(3);
  await scene.arrive();
  scene.world.server.refuse('OOM');
  const releases = [semaphore.release(2), semaphore.release(1)].map(watch);
  await scene.arrive();
  const failed = releases.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) return `a release failed: ${String(failed.failure)}`;
  return scene.world.server.dump.includes('sl:{model}:p:s:s free 3') ? '' : 'the permits were not returned';
}

/**
 * The server has granted an acquire whose reply is lost, and refuses the repetition because the end of another session
 * must come first.
 */
async function refusedRepetition(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const ends = scene.world.now + LEASE;
  scene.second.kill(false);
  await scene.pass(LEASE / 2);
  scene.world.now = ends - RETRY_MS / 2;
  const wait = watch(lockOf(scene.first).holdAsync());
  await settle();
  scene.first.runNext();
  scene.first.breakCommands(false);
  await scene.arrive();
  scene.world.server.refuse('MISCONF');
  await scene.pass(2 * RETRY_MS, () => wait.failure !== undefined);
  if (wait.failure === undefined) return 'the server did not refuse the call';
  scene.world.server.refuse('');
  await scene.pass(LEASE);
  return scene.world.server.dump.includes('sl:{model}:p:m:m free 1') ? '' : 'the server keeps a grant without a caller';
}

export const DIRECTED_REFUSALS: readonly Directed[] = [
  { name: 'a part of a grant that is released without memory', run: partWithoutMemory },
  { name: 'an acquire whose repetition is refused', run: refusedRepetition },
];
