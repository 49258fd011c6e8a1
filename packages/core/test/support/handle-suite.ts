// Tests the handles of every primitive that is built on core. Wrong handles are in misuse-creation.ts.

import { expect, test } from 'vitest';
import { Arena, HandleError } from '../../src/index.ts';
import type { Kind, Primitive } from './misuse-table.ts';
import { openAs, secondAgent } from './second-agent.ts';
import { withoutAges } from './without-ages.ts';

function throughPort<T>(message: T): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  return new Promise<T>((resolve) => {
    port2.onmessage = ({ data }: MessageEvent<T>) => resolve(data);
    port1.postMessage(message);
  }).finally(() => port1.close());
}

/**
 * `kindName`: the kind in its handle. `isOne`: returns whether both instances share their state. `more`: further
 * members of the handle.
 */
export function handleSuite<P extends Primitive>(
  kind: Kind<P>,
  kindName: string,
  isOne: (one: P, other: P) => boolean,
  more: object = {},
): void {
  const arena = Arena.create({ maxPages: 8 });

  test(`the handle of a ${kind.what} is a frozen plain object that names its kind`, () => {
    const { handle } = kind.create({ arena });
    expect(handle).toEqual({
      kind: kindName,
      layout: arena.handle.layout,
      arena: arena.id,
      memory: arena.handle.memory,
      address: handle.address,
      tag: handle.tag,
      // Includes the kernel module of its kind, if a package brings one.
      modules: expect.objectContaining({ ...arena.handle.modules }) as unknown,
      ...more,
    });
    expect([Object.isFrozen(handle), Object.getPrototypeOf(handle)]).toEqual([true, Object.prototype]);
  });

  test(`from() of a posted handle opens the same ${kind.what}, although its memory object is another one`, async () => {
    const ours = kind.create({ arena, name: 'posted' });
    const { handle } = await throughPort({ handle: ours.handle });
    expect(handle.memory).not.toBe(ours.handle.memory);
    const twin = kind.from(handle);
    expect(twin.handle.memory).toBe(ours.handle.memory);
    expect(withoutAges(twin.inspect())).toEqual(withoutAges(ours.inspect()));
    expect([isOne(ours, twin), isOne(twin, ours)]).toEqual([true, true]);
  });

  test(`from() of the handle of another agent’s ${kind.what} opens the same one`, () => {
    const ours = kind.create({ arena });
    const theirs = openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle));
    expect([isOne(ours, theirs), isOne(theirs, ours)]).toEqual([true, true]);
    expect({ ...theirs.handle, arena: '' }).toEqual({ ...ours.handle, arena: '' });
  });

  test(`from() of an old handle throws after another ${kind.what} has reused the block`, () => {
    const { handle } = kind.create({ arena });
    kind.from(handle).free();
    const next = kind.create({ arena });
    expect([next.handle.address, next.handle.tag === handle.tag]).toEqual([handle.address, false]);
    expect(() => kind.from(handle)).toThrow(HandleError);
  });
}
