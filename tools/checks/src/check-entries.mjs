#!/usr/bin/env node
// @ts-check
// Counts the names that packages export for each other. The core's manifest has the ceilings of its entries, under
// `sluice.names`. The ceilings only fall.
//   --list  prints the names that one package uses
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { argv, stdout } from 'node:process';
import { entriesOf } from '../../../scripts/declarations/entries.mjs';
import { filesBelow, isWhole, workspacePackages } from '../../../scripts/workspace.mjs';
import { ceilingProblems, namesOfOne, sharedEntry } from './entry-names.mjs';
import { report } from './report.mjs';

const packages = workspacePackages(['packages']).map(({ directory, manifest }) => ({
  directory,
  name: manifest.name,
  ceilings: manifest.sluice?.names,
  texts: filesBelow([join(directory, 'src')])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(file, 'utf8')),
}));

const counted = packages.flatMap(({ directory, name, ceilings }) =>
  entriesOf(directory)
    .filter(({ name: entry, isPublic }) => !isPublic && entry !== 'js')
    .map(({ name: entry, source }) => ({
      shared: sharedEntry(
        `${name}/${entry}`,
        readFileSync(join(directory, 'src', `${source}.ts`), 'utf8'),
        packages.filter((each) => each.name !== name),
      ),
      problems: (/** @type {import('./entry-names.mjs').SharedEntry} */ shared) =>
        ceilings === undefined ? [] : ceilingProblems(shared, ceilings[entry]),
    })),
);
const entries = counted.map(({ shared }) => shared);
const ofOne = namesOfOne(entries);

if (argv.includes('--list'))
  for (const [user, names] of ofOne) stdout.write(`${basename(user)} alone uses ${names.join(', ')}\n`);

const total = entries.reduce((sum, { names }) => sum + names.size, 0);
const single = [...ofOne.values()].flat().length;
report(
  `entries: ${entries.length} with ${total} names, of which one package uses ${single}`,
  // Without some packages, the others export names that no package uses.
  isWhole() ? counted.flatMap(({ shared, problems }) => problems(shared)) : [],
);
