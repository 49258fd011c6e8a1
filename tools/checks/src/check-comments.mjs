#!/usr/bin/env node
// @ts-check
// Comments of the sources: tables keep their columns, a wrap leaves nothing over, and the files, decisions, constants,
// names and mutants that they name are there. So are the files and names in the documents for contributors.
//   --no-references  not what they name, where packages may be missing (check-without.mjs)
import { readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { argv } from 'node:process';
import { filesBelow, isOurs, root, workspacePackages } from '../../../scripts/workspace.mjs';
import { lineProblems, tableProblems } from './comments.mjs';
import { mutantProblems } from './mutants.mjs';
import {
  CONTRIBUTORS_DOCUMENTS,
  documentReferenceProblems,
  referenceProblems,
  stepTableProblems,
} from './references.mjs';
import { report } from './report.mjs';

/** The texts of this file are examples of problems. */
const OF_CHECKS = 'tools/checks/test/';

const files = filesBelow([root]).map((file) => relative(root, file).split(sep).join('/'));
const sources = files
  .filter((file) => /\.(ts|mjs)$/.test(file) && /^(packages|tools|scripts|benchmarks|examples)\//.test(file))
  .filter((file) => !file.startsWith(OF_CHECKS))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n') }));

const packages = new Map(
  workspacePackages(['packages']).map(({ directory, manifest }) => [
    manifest.name,
    { folder: `packages/${basename(directory)}`, names: Object.keys(manifest.dependencies ?? {}).filter(isOurs) },
  ]),
);

/**
 * The folders of the packages that the package in `folder` depends on, directly or not.
 * @param {string} folder
 */
function dependenciesOf(folder) {
  const found = new Set([...packages.values()].find((each) => each.folder === folder)?.names);
  for (const name of found) for (const behind of packages.get(name)?.names ?? []) found.add(behind);
  return [...found].flatMap((name) => packages.get(name)?.folder ?? []);
}

/** @param {string} file */
const readDocument = (file) => ({ file, text: readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n') });

report(`comments: ${sources.length} files`, [
  ...sources.flatMap(({ file, text }) => [...tableProblems(file, text), ...lineProblems(file, text)]),
  ...(argv.includes('--no-references')
    ? []
    : [
        ...referenceProblems(sources, files, dependenciesOf),
        ...mutantProblems(sources),
        ...stepTableProblems(sources, dependenciesOf),
        ...CONTRIBUTORS_DOCUMENTS.map(readDocument).flatMap((each) => documentReferenceProblems(each, sources, files)),
      ]),
]);
