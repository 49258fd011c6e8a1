// The one place of an agent's async waits at a multilane semaphore, and its mutants.

import { expect, test } from 'vitest';
import { mutate } from '../../../core/test/model/mutate.ts';
import { CHECKS } from './model/shared-place-checks.ts';
import * as core from './model/shared-place-entry.ts';
import { SHARED_PLACE_MUTANTS } from './model/shared-place-mutants.ts';

const ENTRY = new URL('model/shared-place-entry.ts', import.meta.url);

test.each(CHECKS)('$name', async ({ run }) => {
  expect(await run(core)).toBeUndefined();
});

test.each(SHARED_PLACE_MUTANTS)('a mutant is caught: $name', async (mutant) => {
  const check = CHECKS.find(({ name }) => name === mutant.caughtBy);
  const mutated = (await mutate(mutant as never, ENTRY)) as unknown as typeof core;
  expect(await check?.run(mutated)).toEqual(expect.any(String));
});
