#!/usr/bin/env node
// @ts-check
// Writes the tables of docs/step-records.md from the docstrings of the kernels' steps: `node scripts/step-records.mjs`.
// check-docs compares.
//
//   @takes   what the step takes or passes on
//   @leaves  what it leaves in the same step
//   @death   what recovery does when the agent dies right after
//   @step    the steps that the row is for, if it is for more than the one below the docstring
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { filesBelow, root, workspacePackages } from './workspace.mjs';

const PAGE = join(root, 'docs', 'step-records.md');
const BEGIN = '<!-- steps: written by scripts/step-records.mjs -->';
const END = '<!-- end of steps -->';
const HEAD =
  '| Step | Takes or passes on | Leaves in the same step | When the agent dies right after |\n| --- | --- | --- | --- |';
const STEP = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:(?:@\w+|\/\/.*)\n)*export function (\w+)/g;

/**
 * @param {string} docstring
 * @returns {Map<string, string>}
 */
function tagsOf(docstring) {
  const text = docstring.replaceAll(/\s*\n \*[ ]?/g, '\n');
  return new Map(
    text
      .split(/\n@/)
      .slice(1)
      .map((tag) => {
        const [name = '', ...words] = tag.trim().split(/\s+/);
        return [name, words.join(' ')];
      }),
  );
}

/**
 * @param {string} text of a source file
 * @returns {string[]} a row for each docstring with a record
 */
export function rowsOf(text) {
  return [...text.matchAll(STEP)].flatMap(([, docstring = '', name = '']) => {
    const tags = tagsOf(docstring);
    const takes = tags.get('takes');
    if (takes === undefined) return [];
    return [
      `| ${tags.get('step') ?? `\`${name}\``} | ${takes} | ${tags.get('leaves') ?? ''} | ${tags.get('death') ?? ''} |`.replaceAll(
        / +/g,
        ' ',
      ),
    ];
  });
}

/** @returns {string} the page as the docstrings have it */
export function stepRecordsPage() {
  const page = readFileSync(PAGE, 'utf8').replaceAll('\r\n', '\n');
  const sections = workspacePackages(['packages'])
    .sort(
      (one, other) =>
        Number(other.manifest.name === '@sluice/core') - Number(one.manifest.name === '@sluice/core') ||
        one.manifest.name.localeCompare(other.manifest.name),
    )
    .flatMap(({ directory, manifest: { name } }) => {
      const source = join(directory, 'src');
      if (!existsSync(source)) return [];
      const rows = filesBelow([source])
        .filter((file) => file.endsWith('.ts') && relative(source, file).split(sep).includes('kernel'))
        .sort()
        .flatMap((file) => rowsOf(readFileSync(file, 'utf8').replaceAll('\r\n', '\n')));
      return rows.length === 0 ? [] : [`### ${name}\n\n${HEAD}\n${rows.join('\n')}\n`];
    });
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('docs/step-records.md has no place for the steps');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${sections.join('\n')}\n${page.slice(end)}`;
}

/** @returns {string[]} */
export function stepRecordsProblems() {
  return stepRecordsPage() === readFileSync(PAGE, 'utf8').replaceAll('\r\n', '\n')
    ? []
    : ['docs/step-records.md differs from the docstrings of the steps: run `node scripts/step-records.mjs`'];
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) writeFileSync(PAGE, stepRecordsPage());
