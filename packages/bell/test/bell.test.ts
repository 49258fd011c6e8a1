import { Arena } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Bell } from '../src/index.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('Bell (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const other = secondAgent(arena);

  test('ring(n) admits at most n waiters, and is not kept', async () => {
    const ours = Bell.create({ arena });
    const theirs = openAs(other, ours.handle, (handle) => Bell.from(handle));
    ours.ring();
    expect(theirs.tryWait(1)).toBe(false);
    const waits = [theirs.waitAsync(), theirs.waitAsync(), theirs.waitAsync()];
    ours.ring(2);
    await Promise.all(waits.slice(0, 2));
    expect(ours.waiting).toBe(1);
    ours.ring(5);
    await Promise.all(waits);
    expect(ours.waiting).toBe(0);
  });
});
