// @ts-check
// What the README of the repository says to users of packages that are not published: its block is run as it is, in a
// clone.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { kernelFolders, root } from '../workspace.mjs';
import { fences } from '../../tools/checks/src/markdown.mjs';
import { run } from './command.mjs';
import { commandsOf, noteOthers, runSnippets } from './newcomer.mjs';
import { Project } from './project.mjs';

/** @typedef {import('./newcomer.mjs').Tour} Tour */

/** The heading of the block. */
export const HEADING = '## Use it in your project';
const MAX_MS = 10 * 60_000;

/**
 * The first block below a heading.
 * @param {string} readme
 * @param {string} heading
 */
export function blockBelow(readme, heading) {
  const at = readme.split('\n').indexOf(heading) + 1;
  const block = at === 0 ? undefined : fences(readme).find(({ line, language }) => line > at && language === 'sh');
  if (block === undefined) throw new Error(`README.md: no commands below '${heading}'`);
  return block;
}

/**
 * Gives a clone what is built here: the build is as long as all the rest. `bootstrap` finds by its stamps, with exact
 * times, that the sources are the same; if they are not, it builds.
 * @param {string} clone
 */
function seed(clone) {
  const built = ['.cache/build', ...filesBuilt()];
  for (const path of built) {
    mkdirSync(join(clone, path, '..'), { recursive: true });
    run('cp', ['-a', join(root, path), join(clone, path, '..')], root);
  }
}

const filesBuilt = () =>
  readdirSync(join(root, 'packages')).flatMap((name) => {
    const generated = kernelFolders(join(root, 'packages', name)).map((folder) =>
      relative(root, join(folder, 'wasm.generated.ts')),
    );
    return [`packages/${name}/dist`, ...generated].filter((path) => existsSync(join(root, path)));
  });

/**
 * @param {Tour} tour
 * @returns {Promise<string>} what was done
 */
export async function followRootReadme({ place, together, needed, ledger }) {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const block = blockBelow(readme, HEADING);
  const folder = join(place.scratch, 'from-source');
  const project = new Project(join(folder, 'your-project'), place);
  const clone = join(folder, 'sluice');
  run('git', ['clone', '--quiet', '--shared', root, clone], place.scratch);
  seed(clone);
  run(`set -e\n${block.code}`, [], clone, { shell: true, most: MAX_MS });
  if (!existsSync(join(project.folder, 'node_modules', '@sluice', 'core')))
    throw new Error('README.md: its commands installed nothing in your-project');

  const commands = new Set(commandsOf(block.code));
  noteOthers('README.md', readme, ledger, (command) => commands.has(command));
  return `README.md: ${commands.size} commands below "${HEADING.slice(3)}" run in a clone; ${await runSnippets('README.md', readme, [project, together], needed)}`;
}
