// Schedules of keys of a keyed mutex that state when something must have happened.

import { Ground, watch, type Directed } from './ground.ts';
import type { Client } from './world.ts';

const LEASE = 1000;

async function tried(script: string, client: Client): Promise<string> {
  const ground = await Ground.make(script, client);
  const held = watch(ground.first.space.keyedMutex('k').tryLock('x'));
  await ground.arrive();
  const busy = watch(ground.second.space.keyedMutex('k').tryLock('x'));
  await ground.arrive();
  if (held.value !== true || busy.value !== false) return 'the key was not held';
  ground.first.kill(false);
  await ground.pass(4 * LEASE);
  const left = ground.world.server.dump.filter((line) => line.includes('k:1:k:x'));
  return left.length === 0 ? '' : `data of the key is left: ${left.join('; ')}`;
}

export const DIRECTED_KEYS: readonly Directed[] = [{ name: 'a key that a living session has tried', run: tried }];
