#!/usr/bin/env node
// @ts-check
// Makes the tarballs of a release and tries them as a newcomer would. Publishes nothing, and changes no file of the
// working tree.
//   npm run release -- --dry-run                              a rehearsal with what is here
//   npm run release -- --origin=https://host/owner/name       the tarballs to publish, in .cache/release
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import process, { argv, exit, stderr, stdout } from 'node:process';
import { runnableSnippets } from '../../tools/checks/src/markdown.mjs';
import { startNeeded } from '../../tools/checks/src/snippets.mjs';
import { root, workspacePackages } from '../workspace.mjs';
import { byHand } from './by-hand.mjs';
import { inspect } from './inspect.mjs';
import { followRootReadme } from './from-source.mjs';
import { followReadme, installTogether } from './newcomer.mjs';
import { Ledger } from './not-run.mjs';
import { publishOrder } from './order.mjs';
import { originFrom } from './origin.mjs';
import { publish, startRegistry } from './registry.mjs';
import { isDirty, repositoryKinds } from './repository.mjs';
import { stage } from './stage.mjs';
import { commonVersion, hasChangesets, versionedClone } from './versions.mjs';

const NO_NETWORK = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/;

/** @param {string} line */
const say = (line) => void stdout.write(`${line}\n`);

/**
 * @param {{ origin: string, isPlaceholder: boolean }} place
 * @param {string} scratch
 */
function prepare({ origin }, scratch) {
  const packages = publishOrder(workspacePackages(['packages']).filter(({ manifest }) => manifest.private !== true));
  const clone = versionedClone(scratch);
  const version = commonVersion(packages.map(({ directory }) => join(clone, relative(root, directory))));
  say(`version ${version}, with a changelog for each of ${packages.length} packages`);
  const staged = stage(packages, { origin, version, clone, kindOf: repositoryKinds() }, scratch);
  return { version, staged };
}

/**
 * @param {readonly import('./stage.mjs').Staged[]} staged
 * @param {string} scratch
 */
async function inspectAll(staged, scratch) {
  /** @type {string[]} */
  const problems = [];
  for (const each of staged) {
    const found = await inspect(each, scratch);
    problems.push(...found.problems);
    say(`packed ${basename(each.tarball)}, ${found.bytes} bytes`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  say('no dead link in a packed page, nothing to say for publint');
}

/**
 * @param {readonly import('./stage.mjs').Staged[]} staged
 * @param {string} version
 * @param {string} scratch
 */
async function tryAll(staged, version, scratch) {
  const { url, stop } = await startRegistry(scratch);
  try {
    for (const { tarball } of staged) publish(url, tarball);
    say(`published ${staged.length} packages to a registry on this machine`);
    const place = { url, scratch, version };
    const readmes = staged.map(({ name, staged: folder }) => ({
      name,
      readme: readFileSync(join(folder, 'README.md'), 'utf8'),
    }));
    const names = staged.map(({ name }) => name);
    const together = installTogether(names, place);
    say(`all ${names.length} packages in one project: installed, imported`);

    const needed = await startNeeded(
      readmes.flatMap(({ readme }) => runnableSnippets(readme).flatMap(({ needs }) => needs ?? [])),
    );
    const tour = { place, together, needed, ledger: new Ledger() };
    try {
      for (const { name, readme } of readmes) say(await followReadme(name, readme, tour));
      say(await followRootReadme(tour));
    } finally {
      for (const server of needed.values()) await server.stop();
    }
    say(tour.ledger.close());
  } finally {
    stop();
  }
}

/**
 * @param {boolean} isRehearsal
 * @param {boolean} isPlaceholder
 */
function refuse(isRehearsal, isPlaceholder) {
  if (isDirty() && isRehearsal)
    say('The working tree has changes without a commit: they are packed, but not their changesets.');
  if (isRehearsal) return;
  const reasons = [
    ...(isPlaceholder
      ? ['The origin is a placeholder: set it by --origin=https://host/owner/name or SLUICE_ORIGIN.']
      : []),
    ...(isDirty() ? ['The working tree has changes without a commit.'] : []),
    ...(hasChangesets(root) ? ['Changesets wait: `npm run changeset -- version`, then commit.'] : []),
  ];
  if (reasons.length > 0) throw new Error(`${reasons.join('\n')}\nFor a rehearsal: npm run release -- --dry-run`);
}

/**
 * What failed, and what made it fail.
 * @param {unknown} error
 * @returns {string}
 */
function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n${messageOf(error.cause)}`;
}

async function main() {
  const isRehearsal = argv.includes('--dry-run');
  const place = originFrom(argv.slice(2));
  refuse(isRehearsal, place.isPlaceholder);
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-release-'));
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => exit(130));

  const { version, staged } = prepare(place, scratch);
  await inspectAll(staged, scratch);
  await tryAll(staged, version, scratch);
  const tarballs = staged.map(({ tarball }) => basename(tarball));
  if (!isRehearsal) {
    rmSync(join(root, '.cache', 'release'), { recursive: true, force: true });
    cpSync(join(scratch, 'tarballs'), join(root, '.cache', 'release'), { recursive: true });
  }
  say(
    `\n${byHand({ version, ...place, tarballs })}\n\n${isRehearsal ? 'dry run' : 'release'}: ${version} is ready, nothing was published`,
  );
}

try {
  await main();
} catch (error) {
  const message = messageOf(error);
  stderr.write(`${message}\n`);
  if (NO_NETWORK.test(message))
    stderr.write(
      '\nThe registry does not answer. A release fetches changesets, verdaccio and the peers of the packages from it, so it needs the network.\n',
    );
  exit(1);
}
