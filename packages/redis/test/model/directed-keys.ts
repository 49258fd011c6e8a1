// Schedules of keys of a keyed mutex that state when something must have happened.

import { TwoProcesses, watch, type Directed } from './two-processes.ts';
import type { Client } from './world.ts';

const LEASE = 1000;

async function tried(script: string, client: Client): Promise<string> {
  const scene = await TwoProcesses.make(script, client);
  const held = watch(scene.first.space.keyedMutex('k').tryLock('x'));
  await scene.arrive();
  const busy = watch(scene.second.space.keyedMutex('k').tryLock('x'));
  await scene.arrive();
  if (held.value !== true || busy.value !== false) return 'the key was not held';
  scene.first.kill(false);
  await scene.pass(4 * LEASE);
  const left = scene.world.server.dump.filter((line) => line.includes('k:1:k:x'));
  return left.length === 0 ? '' : `data of the key is left: ${left.join('; ')}`;
}

export const DIRECTED_KEYS: readonly Directed[] = [{ name: 'a key that a living session has tried', run: tried }];
