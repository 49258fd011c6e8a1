// @ts-check
// What a newcomer does with a README: the commands as they are written, an import, and each snippet.
import { join } from 'node:path';
import { fences, runnableSnippets } from '../../tools/checks/src/markdown.mjs';
import { Project } from './project.mjs';

/** @typedef {import('./project.mjs').Place} Place */
/** @typedef {import('../../tools/checks/src/snippets.mjs').Needed} Needed */

const SHELL = ['sh', 'bash', 'shell', 'console'];
/** The language of a block that shows what a program prints. */
const OUTPUT = 'text';
const INSTALL = 'npm install ';
/** Commands that a project without the repository can run, after variables of the environment. */
const RUNS_IN_A_PROJECT = /^(?:[A-Z_]+=[\w.-]+ )*(?:npm install|node|npx) /;
/** Packages that come with others. No program installs them by name. */
const COMES_WITH_OTHERS = ['@sluice/remote'];
/** Programs that the project does not have. */
const NOT_IN_A_PROJECT = /\bvitest\b/;
/** `npm install a b   # or: a c` is two ways. */
const OTHER_WAY = /# or: (.+)$/;

/**
 * @typedef {object} Tour
 * @property {Place} place
 * @property {Project} together a project with all packages, for snippets that use others than their README installs
 * @property {ReadonlyMap<string, Needed>} needed
 * @property {import('./not-run.mjs').Ledger} ledger
 */

/**
 * The commands of a block.
 * @param {string} code
 * @returns {string[]}
 */
export const commandsOf = (code) => code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));

/**
 * What `npm install` gets in another way that a remark names.
 * @param {string} command
 * @returns {string | undefined}
 */
export const otherWay = (command) => (command.startsWith(INSTALL) ? OTHER_WAY.exec(command)?.[1] : undefined);

/**
 * All commands of a README.
 * @param {string} readme
 * @returns {string[]}
 */
export const commandsIn = (readme) =>
  fences(readme)
    .filter(({ language }) => SHELL.includes(language))
    .flatMap(({ code }) => commandsOf(code));

/**
 * The commands of a README that a project without the repository can run, installations first: a page may show a use
 * before it says how to install.
 * @param {readonly string[]} commands
 * @returns {string[]}
 */
export function commandsToRun(commands) {
  const run = commands.filter((command) => RUNS_IN_A_PROJECT.test(command) && !NOT_IN_A_PROJECT.test(command));
  return [
    ...run.filter((command) => command.startsWith(INSTALL)),
    ...run.filter((command) => !command.startsWith(INSTALL)),
  ];
}

/**
 * Notes each block of a README that is not run, except what programs print.
 * @param {string} name
 * @param {string} readme
 * @param {import('./not-run.mjs').Ledger} ledger
 * @param {(command: string) => boolean} runs
 */
export function noteOthers(name, readme, ledger, runs) {
  const run = new Set(runnableSnippets(readme).map(({ line }) => line));
  for (const { line, language, code } of fences(readme)) {
    if (run.has(line) || language === OUTPUT) continue;
    if (!SHELL.includes(language)) ledger.note(name, line, code);
    else for (const command of commandsOf(code)) if (!runs(command)) ledger.note(name, line, command);
  }
}

/**
 * @param {string} name
 * @param {string} readme
 * @param {readonly Project[]} projects the first one with what a snippet imports runs it
 * @param {ReadonlyMap<string, Needed>} needed
 * @returns {Promise<string>} what was run
 */
export async function runSnippets(name, readme, projects, needed) {
  const snippets = runnableSnippets(readme);
  /** @type {number[]} */
  const elsewhere = [];
  for (const snippet of snippets) {
    const project = projects.find((each) => each.has(snippet.code));
    if (project === undefined)
      throw new Error(`${name}:${snippet.line}: a package that the snippet imports is in no project`);
    if (project !== projects[0]) elsewhere.push(snippet.line);
    const server = needed.get(snippet.needs ?? '');
    if (snippet.needs !== undefined && server === undefined)
      throw new Error(`${name}:${snippet.line}: needs a ${snippet.needs} server, and there is none here`);
    try {
      await project.runSnippet(snippet, server?.env ?? {});
    } catch (error) {
      throw new Error(`${name}:${snippet.line}: the snippet failed`, { cause: error });
    }
  }
  const lines = snippets.map(({ line }) => line).join(', ');
  const others = elsewhere.length === 0 ? '' : ` (${elsewhere.join(', ')} beside more packages than it installs)`;
  return snippets.length === 0 ? 'no snippets' : `${snippets.length} snippets run, of lines ${lines}${others}`;
}

/**
 * @param {string} name of a package
 * @param {string} readme
 * @param {Tour} tour
 * @returns {Promise<string>} what was done
 */
export async function followReadme(name, readme, { place, together, needed, ledger }) {
  if (COMES_WITH_OTHERS.includes(name)) {
    noteOthers(name, readme, ledger, () => false);
    return `${name}: comes with other packages; imported beside them; ${await runSnippets(name, readme, [together], needed)}`;
  }
  const project = new Project(join(place.scratch, 'alone', name.replace('/', '-')), place);
  const run = commandsToRun(commandsIn(readme));
  if (!run.some((command) => command.startsWith(INSTALL) && command.split(/\s+/).includes(name)))
    throw new Error(`${name}: the README does not say \`npm install ${name}\``);
  for (const command of run) {
    project.shell(command);
    const other = otherWay(command);
    if (other === undefined) continue;
    const second = new Project(`${project.folder}-other-way`, place);
    second.shell(`npm install ${other}`);
    second.checkVersions();
    second.importEach([name]);
  }
  project.checkVersions();
  project.importEach([name]);
  noteOthers(name, readme, ledger, (command) => run.includes(command));
  return `${name}: ${run.map((command) => `\`${command}\``).join(', ')}; imported; ${await runSnippets(name, readme, [project, together], needed)}`;
}

/**
 * @param {readonly string[]} names
 * @param {Place} place
 */
export function installTogether(names, place) {
  const project = new Project(join(place.scratch, 'together'), place);
  project.shell(`npm install ${names.join(' ')}`);
  project.checkVersions();
  project.importEach(names);
  return project;
}
