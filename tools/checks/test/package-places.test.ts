// Tests that each package with steps is at all places that a new one must be at, so that the list of places is right.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freeOutcomes, placesOf } from '../../../scripts/package-places.mjs';
import { isWhole, kernelFolders, root } from '../../../scripts/workspace.mjs';

const names = readdirSync(join(root, 'packages')).filter(
  (name) => name !== 'core' && kernelFolders(join(root, 'packages', name)).length > 0,
);

// Where packages are missing, others do not name them.
test.runIf(isWhole()).each(names)('%s is at all places where a package with steps must be', (name) => {
  expect(
    placesOf(name)
      .filter(({ isThere }) => !isThere)
      .map(({ place }) => place),
  ).toEqual([]);
});

test('a package that is nowhere is missing at each place', () => {
  const places = placesOf('nowhere');
  expect(places.length).toBeGreaterThan(10);
  expect(places.filter(({ isThere }) => isThere)).toEqual([]);
});

test('the free numbers for outcomes are those of a kind', () => {
  const [first, last] = freeOutcomes();
  expect(first).toBeLessThanOrEqual(-32);
  expect(first - last).toBeGreaterThan(0);
});
