#!/usr/bin/env node
// @ts-check
// Checks dependencies. Published packages depend only on packages of lower rank and import no files from inside another
// package. Files have no circle of imports, and none imports from a higher storey. Tests and tools import only from
// packages to which their manifest leads, so that a tree without some packages is whole (check-without.mjs).
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { filesBelow, root, workspacePackages } from '../../../scripts/workspace.mjs';
import { circlesOf, importsOf } from './circles.mjs';
import { graphProblems, groupProblems, removalProblems } from './graph.mjs';
import { ranks } from './ranks.mjs';
import { report } from './report.mjs';
import { heapProblems, storeyProblems, STOREYS } from './storeys.mjs';

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
const sources = workspacePackages()
  .flatMap(({ directory }) => filesBelow([directory]))
  .filter((file) => /\.(ts|mjs)$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const imports = importsOf(sources);
const members = workspacePackages().map(({ directory, manifest }) => ({
  directory,
  name: manifest.name,
  needs: Object.keys({ ...rangesOf(manifest), ...manifest.devDependencies }),
  // Bundlers build the projects below `web`, where packages are installed from tarballs.
  files: sources.filter(({ file }) => file.startsWith(directory + sep) && !file.includes(`${sep}web${sep}`)),
}));
const circles = circlesOf(imports).map((circle) => circle.map((file) => relative(root, file).replaceAll(sep, '/')));

/** @type {{ fixed: string[][] }} */
const { fixed } = JSON.parse(readFileSync(join(root, '.changeset', 'config.json'), 'utf8'));
const names = packages.map(({ name }) => name);

report(`graph: ${packages.length} packages, ${sources.length} files`, [
  ...graphProblems(packages, ranks),
  ...removalProblems(members, (name) => names.includes(name)),
  ...groupProblems(names, fixed),
  ...packages.flatMap(({ directory, name }) =>
    storeyProblems(directory, STOREYS[name] ?? [], STOREYS[name] === undefined ? new Map() : imports),
  ),
  ...packages.flatMap(({ directory, sources: own }) =>
    heapProblems(
      directory,
      own.map(({ file }) => file),
    ),
  ),
  ...circles.map((circle) => `These files import each other in a circle: ${circle.join(', ')}`),
]);
