// The bound on the places that cancelled waits leave in lanes in which no wait reuses a place. At the bound a wait with
// a timeout or a signal fails, and no other wait does.

import { Arena, ArenaFullError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { turn } from '../../../core/test/support/turn.ts';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { MAX_LEFT } from '../../src/semaphores/cancelled-places.ts';
import { MultilaneSemaphore } from '../../src/index.ts';
import './support/kinds.ts';

const AGENTS = 2;
/** The number of places by which each agent may exceed the bound. */
const MAX_BEYOND = 64 * AGENTS;

interface Ended {
  /** The error of the last wait. */
  readonly failure: unknown;
  /** The number of left places at that moment. */
  readonly abandoned: number;
}

/**
 * Agents whose waits are aborted in turn, so that a wait of another agent is behind each left place. Ends at a wait
 * that fails by itself.
 */
async function giveUpInTurns(agents: readonly MultilaneSemaphore[], times: number): Promise<Ended> {
  let giveUp = (): void => undefined;
  for (let n = 0; n < times; n++) {
    const controller = new AbortController();
    const sem = agents[n % agents.length] as MultilaneSemaphore;
    let failure: unknown;
    sem.acquireAsync(1, { signal: controller.signal }).catch((reason: unknown) => (failure = reason));
    await turn();
    const { abandoned } = failure === undefined ? { abandoned: 0 } : sem.inspect();
    giveUp();
    if (failure !== undefined) return { failure, abandoned };
    giveUp = () => controller.abort();
  }
  giveUp();
  await turn();
  return { failure: undefined, abandoned: 0 };
}

describe.each(['ticket', 'chain', 'address'] as const)('lanes of the kind %s', (inner) => {
  test('a wait with a signal fails at the bound, a wait without one gets its permit, and releases remove the bound', async () => {
    const arena = Arena.create({ policy: { buckets: 16 } });
    const first = MultilaneSemaphore.create(1, { arena, inner, lanes: 2, name: 'lanes' });
    first.acquire();
    const agents = [
      first,
      ...Array.from({ length: AGENTS }, () =>
        openAs(secondAgent(arena), first.handle, (handle) => MultilaneSemaphore.from(handle)),
      ),
    ];
    const givers = agents.slice(1);

    const { failure, abandoned } = await giveUpInTurns(givers, MAX_LEFT + 2 * MAX_BEYOND);
    expect(failure).toBeInstanceOf(ArenaFullError);
    expect(String(failure)).toContain("MultilaneSemaphore 'lanes' has");
    expect(abandoned).toBeGreaterThanOrEqual(MAX_LEFT);
    expect(abandoned).toBeLessThanOrEqual(MAX_LEFT + MAX_BEYOND);

    const patient = first.acquireAsync();
    first.release();
    await patient;
    expect(first.inspect()).toMatchObject({ available: 0, abandoned: 0 });
    await giveUpInTurns(givers, 2 * AGENTS);
    first.release();
    expect(first.available).toBe(1);
  });
});

test("lanes of the core's kind have no such bound", async () => {
  const arena = Arena.create({ policy: { buckets: 16 } });
  const first = MultilaneSemaphore.create(0, { arena, lanes: 2 });
  const givers = Array.from({ length: AGENTS }, () =>
    openAs(secondAgent(arena), first.handle, (handle) => MultilaneSemaphore.from(handle)),
  );
  expect((await giveUpInTurns(givers, MAX_LEFT + 2 * MAX_BEYOND)).failure).toBeUndefined();
});
