#!/usr/bin/env node
// @ts-check
// Dependencies of the published packages: arrows only go down in rank, nobody reaches into another package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, workspacePackages } from '../../../scripts/workspace.mjs';
import { graphProblems } from './graph.mjs';
import { ranks } from './ranks.mjs';
import { report } from './report.mjs';

const packages = workspacePackages(['packages']).map(({ directory, manifest }) => ({
  directory,
  name: manifest.name,
  dependencies: Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
  }),
  sources: filesBelow([join(directory, 'src')])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') })),
}));
const files = packages.reduce((sum, { sources }) => sum + sources.length, 0);

report(`graph: ${packages.length} packages, ${files} files`, graphProblems(packages, ranks));
