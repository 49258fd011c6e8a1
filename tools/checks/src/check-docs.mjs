#!/usr/bin/env node
// @ts-check
// Checks the documents. Snippets marked `run`, in documents and in docstrings, run against the built packages. Local
// links have a target. A block marked `from=` equals the file that it names. The tables of step records equal those of
// the docstrings. Facts about a package equal those of its manifest. No table cell of a package's README is a section,
// and the sections that READMEs share are in one order.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { env, execPath } from 'node:process';
import { FACADE, filesBelow, isOurs, root, workspacePackages } from '../../../scripts/workspace.mjs';
import { stepRecordsProblems } from '../../../scripts/step-records.mjs';
import {
  cellProblems,
  changesetProblems,
  orderProblems,
  rankProblems,
  sentenceProblems,
  slotTableProblems,
  tableProblems,
} from './facts.mjs';
import { anchors, localLinks, runnableSnippets } from './markdown.mjs';
import { shownCodeProblems } from './shown-code.mjs';
import { javascriptOf, startNeeded } from './snippets.mjs';
import { report } from './report.mjs';

const TIME_LIMIT_MS = 120_000;
const AT_ONCE = 2;
/** It is gone once the first release has been made. */
const FIRST_RELEASE = join(root, '.changeset', 'first-release.md');

const documents = filesBelow([root])
  .filter((file) => file.endsWith('.md') && !relative(root, file).startsWith('.'))
  .map((file) => ({ file, name: relative(root, file), text: readFileSync(file, 'utf8') }));

/** Docstrings as documents: the lines of a source file without the stars that they begin with. */
const docstrings = filesBelow([join(root, 'packages')])
  .filter((file) => /[\\/]src[\\/].*\.ts$/.test(file))
  .map((file) => ({ file, name: relative(root, file), text: readFileSync(file, 'utf8').replaceAll(/^ *\* ?/gm, '') }));

/**
 * @param {{ file: string, name: string, text: string }} document
 * @returns {string[]}
 */
function linkProblems({ file, name, text }) {
  return localLinks(text).flatMap((target) => {
    const [path = '', anchor] = decodeURI(target).split('#');
    const destination = path === '' ? file : resolve(dirname(file), path);
    if (!existsSync(destination)) return [`${name}: link to ${target}: no such file`];
    if (anchor === undefined || !destination.endsWith('.md')) return [];
    const known = anchors(readFileSync(destination, 'utf8'));
    return known.has(anchor) ? [] : [`${name}: link to ${target}: no such heading`];
  });
}

/** A folder from which the packages resolve by name, as they do for a user. */
function makeScratch() {
  const scratch = join(root, '.cache', 'docs');
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(join(scratch, 'node_modules', '@sluice'), { recursive: true });
  for (const { directory, manifest } of workspacePackages(['packages'])) {
    symlinkSync(directory, join(scratch, 'node_modules', manifest.name), 'junction');
  }
  // What the READMEs of @sluice/redis and @sluice/postgres install beside them.
  for (const [folder, name] of [
    ['redis', 'redis'],
    ['postgres', 'pg'],
  ]) {
    const client = join(root, 'packages', String(folder), 'node_modules', String(name));
    if (existsSync(client)) symlinkSync(client, join(scratch, 'node_modules', String(name)), 'junction');
  }
  return scratch;
}

/**
 * @param {string} file
 * @param {Record<string, string>} more further environment variables
 * @returns {Promise<string | undefined>} what went wrong
 */
function run(file, more) {
  return new Promise((settle) => {
    const child = spawn(execPath, ['--enable-source-maps', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...more },
    });
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) settle(undefined);
      else settle(signal === 'SIGKILL' ? `still running after ${TIME_LIMIT_MS / 1000} s\n${output}` : output);
    });
  });
}

/** @returns {string[]} */
function factProblems() {
  const packages = workspacePackages(['packages']).map(({ directory, manifest }) => ({
    name: manifest.name,
    description: manifest.description ?? '',
    rank: manifest.sluice?.rank ?? -1,
    dependencies: Object.keys(manifest.dependencies ?? {}).filter(isOurs),
    readme: readFileSync(join(directory, 'README.md'), 'utf8'),
    sources: docstrings
      .filter(({ file }) => file.startsWith(join(directory, 'src')))
      .map(({ text }) => text)
      .join('\n'),
  }));
  return [
    ...packages.flatMap(sentenceProblems),
    ...packages.flatMap(({ name, readme }) => cellProblems(`${name}: README.md`, readme)),
    ...packages.flatMap(({ name, readme }) => orderProblems(`${name}: README.md`, readme)),
    ...tableProblems(
      readFileSync(join(root, 'README.md'), 'utf8'),
      packages.filter(({ name }) => name !== FACADE),
    ),
    ...rankProblems(readFileSync(join(root, 'docs', 'ARCHITECTURE.md'), 'utf8'), packages),
    ...slotTableProblems(
      readFileSync(join(root, 'README.md'), 'utf8'),
      readFileSync(join(root, 'packages', 'worker-pool', 'src', 'shared', 'slot-table.ts'), 'utf8'),
    ),
    ...(existsSync(FIRST_RELEASE) ? changesetProblems(readFileSync(FIRST_RELEASE, 'utf8'), packages) : []),
  ];
}

const scratch = makeScratch();
const all = [...documents, ...docstrings].flatMap(({ name, text }) =>
  runnableSnippets(text).map((snippet) => ({ ...snippet, where: `${name}:${snippet.line}` })),
);
const needed = await startNeeded(all.flatMap(({ needs }) => needs ?? []));
const snippets = all.filter(({ needs }) => needs === undefined || needed.has(needs));
const problems = documents.flatMap((document) => [...linkProblems(document), ...shownCodeProblems(document)]);
problems.push(...stepRecordsProblems(), ...factProblems());

const queue = snippets.entries();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    // One iterator for all: each takes the next snippet.
    for (const [index, { where, needs, ...snippet }] of queue) {
      const file = join(scratch, `${index}.mjs`);
      try {
        writeFileSync(file, await javascriptOf(snippet, where));
        const problem = await run(file, needed.get(needs ?? '')?.env ?? {});
        if (problem !== undefined) problems.push(`${where}: snippet failed\n${problem}`);
      } catch (error) {
        problems.push(`${where}: ${String(error)}`);
      }
    }
  }),
);
for (const { stop } of needed.values()) await stop();

const skipped = all.length - snippets.length;
report(
  `docs: ${documents.length} documents, ${snippets.length} snippets run${skipped > 0 ? `, ${skipped} SKIPPED: there is no Redis server` : ''}`,
  problems,
);
