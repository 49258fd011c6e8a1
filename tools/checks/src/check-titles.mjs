#!/usr/bin/env node
// @ts-check
// Titles of tests state a subject and an outcome (titles.mjs).
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { filesBelow, root } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';
import { titleProblems } from './titles.mjs';

const files = filesBelow([root])
  .map((file) => relative(root, file).split(sep).join('/'))
  .filter((file) => /^(packages|tools|examples|benchmarks)\/.*\.ts$/.test(file) && !file.includes('/src/kernel/'))
  .filter((file) => /\.(?:test|stress|model|bundler|browser)\.ts$|\/test\/|^tools\/conformance\/src\//.test(file));

report(
  `titles: ${files.length} files`,
  files.flatMap((file) => titleProblems(file, readFileSync(join(root, file), 'utf8'))),
);
