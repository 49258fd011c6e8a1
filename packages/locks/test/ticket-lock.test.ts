// The ticket lock: who draws the lower ticket goes first.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { GRANT, TICKET } from '../../core/src/kernel/layout.ts';
import { TICKET as KIND } from './support/kinds.ts';
import { Scene } from './support/scene.ts';

describe.each(['wasm', 'js'] as const)('TicketLock (%s)', (engine) => {
  const newScene = (): Scene => new Scene(KIND, { engine });

  test('who waits is served in the order in which they came, also those that come meanwhile', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2, 3, 4);
    scene.first.lock.lock();
    for (const user of users.slice(0, 2)) scene.wait(user);
    const first = scene.passOn();
    for (const user of users.slice(2)) scene.wait(user);
    scene.wait(scene.first);
    expect([first, ...(await scene.passThrough())]).toEqual([scene.first.id, ...users.map(({ id }) => id), scene.first.id]);
    scene.expectAtRest();
  });

  test('each lock draws one ticket, each unlock grants one, and nothing else of the arena is left changed', () => {
    const scene = newScene();
    const { address } = scene.first.lock.handle;
    const bytes = (): BigInt64Array => new BigInt64Array(scene.world.memory.buffer.slice(0));
    const changed = (before: BigInt64Array): number[] => [...bytes().entries()].filter(([at, word]) => word !== before[at]).map(([at]) => 8 * at);
    const before = bytes();
    scene.first.lock.lock();
    expect(changed(before)).toContain(address + TICKET);
    // The ticket, and the owner's ledger.
    expect(changed(before)).toHaveLength(2);
    scene.first.lock.unlock();
    expect(changed(before)).toEqual([address + TICKET, address + GRANT]);
  });

  test('tickets of waiters that gave up are skipped, all that stand together by one unlock', async () => {
    const scene = newScene();
    const [before, behind, ...gone] = scene.joinAll(1, 2, 3, 4, 5);
    scene.first.lock.lock();
    const first = scene.wait(before);
    const left = gone.map((user) => scene.wait(user));
    const last = scene.wait(behind);
    for (const { leave } of left) leave();
    await scene.settle();
    expect(scene.first.lock.inspect()).toMatchObject({ waiters: [{ agent: before.id }, { agent: behind.id }], abandoned: 3 });
    scene.first.lock.unlock();
    await scene.settle();
    expect([first.outcome, last.outcome, left.map(({ outcome }) => outcome)]).toEqual(['in', 'waits', ['left', 'left', 'left']]);
    before.lock.unlock();
    await scene.settle();
    expect([last.outcome, scene.first.lock.inspect().abandoned]).toEqual(['in', 0]);
    behind.lock.unlock();
    scene.expectAtRest();
  });

  test('who is last in line gives its ticket back', async () => {
    const scene = newScene();
    scene.first.lock.lock();
    const before = scene.world.words.load64(scene.first.lock.handle.address + TICKET);
    const wait = scene.wait(scene.join());
    wait.leave();
    await scene.settle();
    expect(scene.world.words.load64(scene.first.lock.handle.address + TICKET)).toBe(before);
    expect([wait.outcome, scene.first.lock.inspect().abandoned]).toEqual(['left', 0]);
    scene.first.lock.unlock();
    scene.expectAtRest();
  });
});
