import { expect, test } from 'vitest';
import { argumentRows } from './misuse/arguments.ts';
import { endedRows } from './misuse/ended.ts';
import { handleRows } from './misuse/handles.ts';
import { optionRows } from './misuse/options.ts';
import { recoveryRows } from './misuse/recovery.ts';
import { errorOf, look, setUp, type Row } from './misuse/row.ts';
import { withoutAges } from './support/without-ages.ts';

const ROWS: readonly Row[] = [...argumentRows, ...optionRows, ...handleRows, ...endedRows, ...recoveryRows];

test.each(ROWS.map((row) => [row.call, row.state ?? 'open', row.error, row] as const))(
  '%s of a semaphore that is %s throws a %s and changes nothing',
  async (_call, state, error, { make, code, says }) => {
    const { takeDown, ...bench } = await setUp(state);
    const before = look(bench, state);
    const failure = await errorOf(() => make(bench));
    expect(failure).toMatchObject(code === undefined ? { name: error } : { name: error, code });
    expect((failure as Error).message).toContain(says);
    expect(withoutAges(look(bench, state))).toEqual(withoutAges(before));
    await takeDown();
  },
);

test('methods that return a promise reject for a wrong argument and never throw', async () => {
  const { takeDown, sem } = await setUp('open');
  const wrong = 'one' as unknown as number;
  const calls = [
    () => sem.acquireAsync(wrong),
    () => sem.acquireAsync(1, { timeout: wrong }),
    () => sem.holdAsync(wrong),
    () => sem.holdAsync(1, { timeout: wrong }),
    () => sem.runAsync(wrong as unknown as () => void),
    () => sem.runAsync(() => 0, wrong),
    () => sem.asLock().lockAsync({ timeout: wrong }),
    () => sem.asLock().runAsync(() => 0, { timeout: wrong }),
  ];
  for (const call of calls) {
    const promise = call();
    await expect(promise).rejects.toThrow(TypeError);
  }
  await takeDown();
});

test('no row is listed twice', () => {
  const names = ROWS.map(({ call, state }) => `${call} ${state ?? 'open'}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
