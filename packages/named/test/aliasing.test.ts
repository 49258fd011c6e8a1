// Compares random locks and deaths at random keys with a plain map. Two keys never share an entry, and freed memory is
// reused.

import { Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { Arena } from '../../core/src/index.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KeyedMutex } from '../src/index.ts';
import { alike } from './support/alike.ts';
import { lockBlocks } from './support/blocks.ts';
import './support/kinds.ts';
import { unseeded } from './support/unseeded.ts';

test('4,000 random locks and unlocks of two agents agree with a plain map', () => {
  const session = new Session('keys of two agents');
  const { random } = session;
  const arena = Arena.create({ maxPages: 64, policy: { spinMicros: 0 } });
  const first = unseeded(() => KeyedMutex.create({ arena, name: 'keys' }));
  const agents = [first, openAs(secondAgent(arena), first.handle, (handle) => KeyedMutex.from(handle))];
  const keys = [
    ...alike(),
    'liquid',
    'costarring',
    '',
    '\0',
    ...Array.from({ length: 30 }, (_, index) => 'x'.repeat(7 + index * 7)),
  ];
  const owners = new Map<string, number>();
  const before = lockBlocks(arena);
  for (let turn = 0; turn < 4000; turn++) {
    const agent = random.below(2);
    const key = keys[random.below(keys.length)] ?? '';
    const keyed = agents[agent];
    if (keyed === undefined) throw new Error('no such agent');
    if (owners.get(key) === agent) {
      keyed.unlock(key);
      owners.delete(key);
    } else {
      expect(keyed.tryLock(key)).toBe(!owners.has(key));
      if (!owners.has(key)) owners.set(key, agent);
    }
    if (turn % 100 === 0)
      expect(new Set(first.inspect().keys.map(({ key: each }) => each))).toEqual(new Set(owners.keys()));
    expect(lockBlocks(arena)).toBe(before + owners.size);
  }
  const { used } = arena.inspect();
  for (const [key, agent] of owners) agents[agent]?.unlock(key);
  for (const key of keys) first.lock(key);
  for (const key of keys) first.unlock(key);
  expect(arena.inspect().used).toBeLessThanOrEqual(used + 40 * 512);
  session.done(4000, 'calls');
});
