// Cells in a full arena, and cells of an agent that has left it.

import { Arena, MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import { FULL, fullArena } from '../../../core/test/support/full-arena.ts';
import { WatchCell } from '../../src/index.ts';
import { expectCellAtRest } from './support/cell-rest.ts';
import { withoutAges } from '../../../core/test/support/without-ages.ts';

const REFUSED = expect.objectContaining(FULL) as Error;

test.each([0, 1] as const)('create() in an arena without room changes nothing (%i free cache lines)', (lines) => {
  const { arena: full } = fullArena(() => undefined, lines);
  const before = full.inspect();
  expect(() => WatchCell.create(1, { arena: full, codec: 'int32' })).toThrow(REFUSED);
  expect(withoutAges(full.inspect())).toEqual(withoutAges(before));
});

test('changed() without a free element throws, and the cell still works', async () => {
  const { arena: full, prepared: cell } = fullArena((made) => WatchCell.create(1, { arena: made, codec: 'int32' }));
  cell.get();
  const before = [cell.inspect(), full.inspect()];
  for (const call of [() => cell.changed(), () => cell.tryChanged(5)]) expect(call).toThrow(REFUSED);
  for (const call of [() => cell.changedAsync(), () => cell.changedAsync({ timeout: 5 })])
    await expect(call()).rejects.toMatchObject(FULL);
  expect(withoutAges([cell.inspect(), full.inspect()])).toEqual(withoutAges(before));
  cell.set(2);
  expect(cell.get()).toBe(2);
  expectCellAtRest(full, cell);
});

test('every call of an agent that has left the arena throws', async () => {
  const left = Arena.create({ maxPages: 8 });
  const cell = WatchCell.create(1, { arena: left, codec: 'int32' });
  left.leave();
  const calls = [
    () => cell.get(),
    () => cell.set(1),
    () => cell.hasChanged,
    () => cell.version,
    () => cell.changed(),
    () => cell.tryChanged(),
    () => cell.changedAsync(),
    () => cell.inspect(),
    () => cell.closed,
    () => cell.close(),
    () => cell.free(),
  ];
  for (const call of calls) await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(MisuseError);
});
