import { Arena, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Baton } from '../src/index.ts';
import './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('Baton (%s)', (engine) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
  const other = secondAgent(arena);

  test('passes its value on', async () => {
    const ours = Baton.create(1, { arena });
    const theirs = openAs(other, ours.handle, (handle) => Baton.from(handle));
    expect(ours.take()).toBe(1);
    expect(theirs.tryWait(1)).toBe(false);
    const wait = theirs.waitAsync();
    ours.pass(2);
    await wait;
    expect(theirs.value).toBe(2);
    expect(() => ours.pass(3)).toThrow(MisuseError);
    theirs.pass(4);
    expect(ours.take()).toBe(4);
  });
});
