#!/usr/bin/env node
// @ts-check
// Comments of the sources: tables keep their columns, a wrap leaves nothing over, and the files, decisions, constants
// and steps that they name are there.
//   --no-references  not what they name, where packages may be missing (check-without.mjs)
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { argv } from 'node:process';
import { filesBelow, root } from '../../../scripts/workspace.mjs';
import { lineProblems, tableProblems } from './comments.mjs';
import { referenceProblems } from './references.mjs';
import { report } from './report.mjs';

/** Its texts are examples of what the checks find. */
const OF_CHECKS = 'tools/checks/test/';

const files = filesBelow([root]).map((file) => relative(root, file).split(sep).join('/'));
const sources = files
  .filter((file) => /\.(ts|mjs)$/.test(file) && /^(packages|tools|scripts|benchmarks|examples)\//.test(file))
  .filter((file) => !file.startsWith(OF_CHECKS))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n') }));

report(`comments: ${sources.length} files`, [
  ...sources.flatMap(({ file, text }) => [...tableProblems(file, text), ...lineProblems(file, text)]),
  ...(argv.includes('--no-references') ? [] : referenceProblems(sources, files)),
]);
