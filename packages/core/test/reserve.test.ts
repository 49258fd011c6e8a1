// Tests the part of the arena that async waits cannot use up, with mutants of it.

import { expect, test } from 'vitest';
import { mutate } from './model/mutate.ts';
import { CHECKS } from './model/reserve-checks.ts';
import * as core from './model/reserve-entry.ts';
import { RESERVE_MUTANTS } from './model/reserve-mutants.ts';

const ENTRY = new URL('model/reserve-entry.ts', import.meta.url);

test.each(CHECKS)('$name', async ({ run }) => {
  expect(await run(core)).toBeUndefined();
});

test.each(RESERVE_MUTANTS)('a mutant is caught: $name', async (mutant) => {
  const check = CHECKS.find(({ name }) => name === mutant.caughtBy);
  const mutated = (await mutate(mutant, ENTRY)) as unknown as typeof core;
  expect(await check?.run(mutated)).toEqual(expect.any(String));
});
