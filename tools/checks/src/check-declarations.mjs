#!/usr/bin/env node
// @ts-check
// Checks the declarations that an editor opens when a user follows a name: one file per public class (errors share
// one), with documentation and without the kernel. Each error has its own `@throws` there.
//   --list  prints in which file each public name is declared
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { argv, stdout } from 'node:process';
import ts from 'typescript';
import { entriesOf } from '../../../scripts/declarations/entries.mjs';
import { fileNameOf } from '../../../scripts/declarations/names.mjs';
import { workspacePackages } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';
import { throwsProblems } from './throws.mjs';

/** The parts of the kernel that users meet: the names of its builds, and its modules in handles. */
const SHOWN_OF_KERNEL = new Set(['kernel']);

/** @param {string} file */
const bodyOf = (file) => file.replace(/(\.internal)?\.d\.c?ts$/, '');

/** @typedef {import('../../../scripts/workspace.mjs').WorkspacePackage} WorkspacePackage */
/**
 * @typedef {{ name: string, kind: 'class' | 'function' | 'other', file: string, isDocumented: boolean, isValue: boolean
 *   }} Found
 */

/**
 * Each public name of a package that the package itself declares, found as an editor finds it.
 * @param {WorkspacePackage} workspacePackage
 * @param {ts.Program} program
 * @returns {Found[]}
 */
function publicNames({ directory }, program) {
  const checker = program.getTypeChecker();
  const dist = join(directory, 'dist');
  return entriesOf(directory)
    .filter(({ isPublic }) => isPublic)
    .flatMap(({ name: entry }) => {
      const file = program.getSourceFile(join(dist, `${entry}.d.cts`));
      const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
      return module === undefined ? [] : checker.getExportsOfModule(module);
    })
    .flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const [declaration] = symbol.declarations ?? [];
      const home = relative(dist, declaration?.getSourceFile().fileName ?? '');
      if (declaration === undefined || home.startsWith('..')) return [];
      const isValue = exported.declarations?.some((each) => ts.isExportSpecifier(each) && each.isTypeOnly) !== true;
      const kind = ts.isClassDeclaration(declaration)
        ? 'class'
        : ts.isFunctionDeclaration(declaration)
          ? 'function'
          : 'other';
      const isDocumented = symbol.getDocumentationComment(checker).length > 0;
      return [{ name: exported.name, kind, file: home.split(sep).join('/'), isDocumented, isValue }];
    });
}

/**
 * Declaration files without the name of an entry, of a source file or of a public class: a name that a build invents
 * changes with each build.
 * @param {WorkspacePackage} workspacePackage
 * @param {readonly Found[]} found
 */
function strayFiles({ directory, manifest }, found) {
  const known = new Set([
    ...entriesOf(directory).map(({ name }) => name),
    ...found.filter(({ kind }) => kind === 'class').map(({ file }) => bodyOf(file)),
  ]);
  return readdirSync(join(directory, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => /\.d\.c?ts$/.test(file))
    .flatMap((file) => {
      const body = bodyOf(file);
      const hasSource =
        body.startsWith('types/') && existsSync(join(directory, 'src', `${body.slice('types/'.length)}.ts`));
      return hasSource || known.has(body)
        ? []
        : [`${manifest.name}: dist/${file} is named after no entry, source file or public class`];
    });
}

/**
 * Errors that docstrings tell in prose, in the files that users open: docstrings stay only at what users meet.
 * @param {WorkspacePackage} workspacePackage
 */
function errorsInProse({ directory, manifest }) {
  const dist = join(directory, 'dist');
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => /(?<!\.internal|^internal)\.d\.cts$/.test(file))
    .flatMap((file) => throwsProblems(file, readFileSync(join(dist, file), 'utf8')))
    .map((problem) => `${manifest.name}: ${problem}`);
}

/**
 * @param {Found} found
 * @param {string} directory
 * @param {ts.Program} program
 * @returns {string[]}
 */
function problemsOf({ name, kind, file, isDocumented, isValue }, directory, program) {
  const problems = [];
  if (kind !== 'other' && !isDocumented) problems.push(`${name} (${file}) has no documentation`);
  if (kind !== 'class') return problems;
  // An error that carries an object lies with it: `OwnerDiedError` in owner-died.
  const homes = name.endsWith('Error') ? ['errors', fileNameOf(name.slice(0, -'Error'.length))] : [fileNameOf(name)];
  if (!homes.includes(basename(file, '.d.cts')))
    problems.push(`${name} is declared in ${file}, not in ${homes.join('.d.cts or ')}.d.cts`);
  // Of a class that is exported as a type, a user meets the members only.
  if (!isValue) return problems;
  const source = program.getSourceFile(join(directory, 'dist', file));
  const taken =
    source === undefined ? [] : ts.preProcessFile(source.text, true).importedFiles.map(({ fileName }) => fileName);
  for (const path of taken) {
    if (/\/kernel\//.test(path) && !SHOWN_OF_KERNEL.has(basename(path, '.cjs')))
      problems.push(`${name}: ${file} mentions the kernel's ${path}`);
    if (path.endsWith('.internal.cjs') || path === '@sluice/core/kernel')
      problems.push(`${name}: ${file} mentions ${path}, which is not for users`);
  }
  return problems;
}

const published = workspacePackages(['packages']).filter(({ manifest }) => manifest.private !== true);
const rootNames = published.flatMap(({ directory }) =>
  entriesOf(directory).map(({ name }) => join(directory, 'dist', `${name}.d.cts`)),
);
const program = ts.createProgram(rootNames, {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noLib: true,
  types: [],
  noEmit: true,
});

/** @type {string[]} */
const problems = [];
let count = 0;
for (const each of published) {
  const names = publicNames(each, program);
  if (argv.includes('--list'))
    for (const { name, file } of names) stdout.write(`${each.manifest.name} ${name}: ${file}\n`);
  count += names.length;
  problems.push(
    ...strayFiles(each, names),
    ...errorsInProse(each),
    ...names.flatMap((found) =>
      problemsOf(found, each.directory, program).map((problem) => `${each.manifest.name}: ${problem}`),
    ),
  );
}
report(`declarations: ${count} public names of ${published.length} packages`, problems);
