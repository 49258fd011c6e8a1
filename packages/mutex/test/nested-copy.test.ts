import { expect, test } from 'vitest';
import { runChild } from '../../core/test/support/child.ts';

test('a watch of one copy of the core recovers what a worker took through another copy', async () => {
  const { printed } = await runChild(new URL('children/nested-copy.mjs', import.meta.url).href);
  expect(printed.split('\n')).toEqual([
    'one default arena: true, two agents: true',
    // The watching copy has no kernel of mutexes. Its report names the mutex, and the copy that has the kernel finishes
    // at its next call.
    "agents: 2, permits: 1, pending: [ 'accounts' ]",
    'tryLock: SLUICE_OWNER_DIED',
    'agents left: 2',
  ]);
});
