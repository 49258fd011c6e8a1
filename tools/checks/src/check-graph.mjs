#!/usr/bin/env node
// @ts-check
// Dependencies of the published packages: arrows only go down in rank, no package reaches into another.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root, workspacePackages } from '../../../scripts/workspace.mjs';
import { graphProblems, groupProblems } from './graph.mjs';
import { ranks } from './ranks.mjs';
import { report } from './report.mjs';

/** @param {import('../../../scripts/workspace.mjs').Manifest} manifest */
function rangesOf(manifest) {
  return { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies };
}

const packages = workspacePackages(['packages']).map(({ directory, manifest }) => ({
  directory,
  name: manifest.name,
  dependencies: Object.keys(rangesOf(manifest)),
  ranges: rangesOf(manifest),
  entries: Object.keys(manifest.exports ?? {}),
  sources: filesBelow([join(directory, 'src')])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') })),
}));
const files = packages.reduce((sum, { sources }) => sum + sources.length, 0);

/** @type {{ fixed: string[][] }} */
const { fixed } = JSON.parse(readFileSync(join(root, '.changeset', 'config.json'), 'utf8'));
const names = packages.map(({ name }) => name);

report(`graph: ${packages.length} packages, ${files} files`, [...graphProblems(packages, ranks), ...groupProblems(names, fixed)]);
