// @ts-check
// What comments and the documents for contributors refer to: files, decision records, constants, and names in
// backticks.
import { posix } from 'node:path';

/** @typedef {{ file: string, text: string }} Source `file`: its path from the root, with slashes */

/** The name of a file in a comment, with or without a path. Not in a string. */
const FILE = /(?<![\w@/.'*{}-])((?:\.{1,2}\/)*[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\.(?:ts|mjs|md))\b(?![\w/(])(?!:\d)/g;
const DECISIONS = /(?:\bdecisions?[ /])(\d{1,3}(?:(?:, (?:and )?| and )\d{1,3})*)(?![\w-])/gi;
const CONSTANT = /(?<![\w.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)/g;

/**
 * A name in backticks: an identifier, a member of a class, or a call. `Class.#member` names both. A path or a sentence
 * in backticks is no name.
 */
const NAME = /`#?((?:[A-Za-z_$][\w$]*[.#]+)*#?[A-Za-z_$][\w$]*)(?:\([^`]*\))?`/g;
/** A function and the file that has it: "`name` (file)", "`name` in file", "(file, `name`)". */
const IN_FILE = [
  /`#?(?<name>[\w.#]+)(?:\(\))?`,? (?:\((?:[\w@’'-]+: )?|in )(?<file>(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:ts|mjs))\b/g,
  /\((?:[\w@’'-]+: )?(?<file>(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.(?:ts|mjs)), `?(?<name>[a-z]\w*[A-Z]\w*|(?<=`)\w+(?=`))`?\)/g,
];

/** Constants of others, and of examples. */
const FOREIGN = new Set(['FUTEX_CMP_REQUEUE', 'MY_CODE']);
/** Names of other libraries and of the papers, which comments compare with. */
const FOREIGN_NAMES = new Set([
  'CapacitorSimplistic',
  'CyclicBarrier',
  'LongTermThreshold',
  'ManualResetEventSlim',
  'ReaderWriterLockSlim',
  'RwLockUpgradableReadGuard',
  'SemaphorePermit',
  'StampedLock',
  'StructuredTaskScope',
  'WaitGroup',
  'arriveAndDeregister',
  'arrive_and_drop',
  'gunzip',
  'java',
]);
/** The end of a name: `AGENT_DUTY` and `_TAG`. */
const isEnding = (/** @type {string} */ name) => name.startsWith('_');

/** Files of builds, and what is no name of a file. */
const NO_SOURCE = /\.(d|generated)\.ts$/;

/**
 * The comments of a source, line by line, and the code without them.
 * @param {string} text
 */
function taken(text) {
  let isFence = false;
  const code = [];
  const comments = [];
  for (const [index, line] of text.split('\n').entries()) {
    const start = line.search(/(?:^|\s)(?:\/\/|\/?\*\*?)(?:\s|$)/);
    if (start < 0) isFence = false;
    const comment = start < 0 ? '' : line.slice(start).trim();
    if (comment.includes('```')) isFence = !isFence;
    code.push(start < 0 ? line : line.slice(0, start));
    if (comment !== '' && !isFence) comments.push({ line: index + 1, comment });
  }
  return { code: code.join('\n'), comments };
}

/** @param {string} file */
const packageOf = (file) => file.split('/').slice(0, 2).join('/');

/** @param {string} file */
const isProduct = (file) => /^packages\/[^/]+\/src\//.test(file);

/** Whether the name of a file says that it is a test, or one of the files of a model. @param {string} name */
const saysTest = (name) => /\.(?:test|stress|model)\.ts$|(?:^|-)cases\.ts$/.test(name) || /(?:^|\/)test\//.test(name);

/** @param {string} code */
const identifiers = (code) => code.match(/[A-Za-z_$][\w$]*/g) ?? [];

/** The parts of a dotted name that no code has. @param {string} name @param {ReadonlySet<string>} known */
function unknownPart(name, known) {
  const parts = name.split(/[.#]+/).filter((part) => part !== '');
  return parts.some((part) => !known.has(part) && !FOREIGN_NAMES.has(part) && !isEnding(part));
}

/**
 * The files, functions and constants of the sources, for texts that name them.
 * @param {readonly { file: string, code: string }[]} parts
 */
function namesIn(parts) {
  /** The names of each file. @type {Map<string, ReadonlySet<string>>} */
  const ofFile = new Map(parts.map(({ file, code }) => [file, new Set(identifiers(code))]));
  /** The packages whose kernels export a step of that name. @type {Map<string, Set<string>>} */
  const steps = new Map();
  for (const { file, code } of parts) {
    if (!isProduct(file) || !file.includes('/kernel/')) continue;
    for (const [, name = ''] of code.matchAll(/^export function (\w+)/gm))
      steps.set(name, (steps.get(name) ?? new Set()).add(packageOf(file)));
  }
  return { all: new Set([...ofFile.values()].flatMap((each) => [...each])), ofFile, steps };
}

/**
 * Names in the comments of sources that lead nowhere.
 *
 * A file is one of the same package, or a path from the root, or a file of another package that this line or the one
 * above names: `core: kernel/walk.ts`. A comment of a product means a file of a test only if its name says so. A name
 * in backticks is one of the code. If a file follows the name, that file has it. A step of a kernel is one of the
 * package or of its dependencies: a package does not explain itself by the steps of packages beside or above it.
 * @param {readonly Source[]} sources
 * @param {readonly string[]} files all files, as paths from the root
 * @param {(folder: string) => readonly string[]} [dependenciesOf] the folders of all packages that a package depends
 *   on,
 *   directly or not
 * @returns {string[]}
 */
export function referenceProblems(sources, files, dependenciesOf) {
  /** The files that a path may end with. @type {Map<string, string[]>} */
  const ending = new Map();
  for (const file of files) {
    const parts = file.split('/');
    for (const index of parts.keys()) {
      const end = parts.slice(index).join('/');
      ending.set(end, [...(ending.get(end) ?? []), file]);
    }
  }
  const known = new Set(files);
  const decisions = new Set(files.map((file) => /^docs\/decisions\/(\d{3})-/.exec(file)?.[1]));
  const parts = sources.map(({ file, text }) => ({ file, ...taken(text) }));
  const names = namesIn(parts);

  /**
   * @param {string} name
   * @param {string} from
   * @param {string} words around it
   */
  function isFile(name, from, words) {
    if (name.startsWith('.')) return known.has(posix.join(posix.dirname(from), name));
    return filesOf(name, from, words).length > 0;
  }

  /**
   * @param {string} name
   * @param {string} from
   * @param {string} words
   */
  function filesOf(name, from, words) {
    const mayBeTest = !isProduct(from) || saysTest(name);
    return (ending.get(name) ?? []).filter((file) => {
      if (!mayBeTest && file.includes('/test/')) return false;
      const home = packageOf(file);
      return file === name || home === packageOf(from) || new RegExp(`\\b${posix.basename(home)}\\b`).test(words);
    });
  }

  /**
   * Whether a name is a step of packages on which this one does not depend, and nothing else here.
   * @param {string} name
   * @param {string} from
   */
  function isStrange(name, from) {
    if (!names.steps.has(name) || dependenciesOf === undefined || !isProduct(from)) return false;
    const near = [packageOf(from), ...dependenciesOf(packageOf(from))];
    return !parts.some(
      ({ file }) => isProduct(file) && near.includes(packageOf(file)) && names.ofFile.get(file)?.has(name) === true,
    );
  }

  return parts.flatMap(({ file, comments }) =>
    comments.flatMap(({ line, comment }, index) => {
      const above = comments[index - 1];
      const words = above?.line === line - 1 ? `${above.comment} ${comment}` : comment;
      const text = comment.replaceAll(/https?:\/\/\S+|\bimport \S+/g, '');
      const ticked = [...text.matchAll(NAME)].map(([, name = '']) => name);
      const next = comments[index + 1];
      const run = next?.line === line + 1 ? `${text} ${next.comment.replace(/^(?:\/\/|\*) */, '')}` : text;
      const misplaced = IN_FILE.flatMap((pattern) => [...run.matchAll(pattern)])
        // A pair that begins on the next line is found there.
        .filter(({ index: at }) => at < text.length)
        .filter(({ groups: { name = '', file: path = '' } = {} }) => {
          const last = name.split(/[.#]/).at(-1) ?? '';
          const found = filesOf(path, file, words).filter((each) => names.ofFile.has(each));
          return found.length > 0 && !found.some((each) => names.ofFile.get(each)?.has(last));
        })
        .map(({ groups: { name, file: path } = {} }) => `${name} in ${path}`);
      const strange = ticked.filter((name) => isStrange(name, file));
      const lost = [
        ...[...text.matchAll(FILE)]
          .map(([, name = '']) => name)
          .filter((name) => !NO_SOURCE.test(name) && !isFile(name, file, words)),
        ...[...text.matchAll(DECISIONS)]
          .flatMap(([, numbers = '']) => numbers.match(/\d+/g) ?? [])
          .filter((number) => !decisions.has(number.padStart(3, '0')))
          .map((number) => `decision ${number}`),
        ...(text.match(CONSTANT) ?? []).filter((name) => !names.all.has(name) && !FOREIGN.has(name)),
        ...ticked.filter((name) => !/^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name) && unknownPart(name, names.all)),
        ...misplaced,
      ];
      return [
        ...lost.map((name) => `${file}:${line}: names ${name}, which is not there`),
        ...strange.map(
          (name) => `${file}:${line}: names ${name}, a step of a package that this one does not depend on`,
        ),
      ];
    }),
  );
}

/** The start of a cell of a table of changes, with the steps that make the change: "free ▶ owner   [lock, poll]". */
const STEPS_CELL = /(?<=\s{2})\[(?=[a-z])/g;
/** A function, or a method of a part of a kernel. */
const DECLARED = /^(?:(?:export )?function | {2})(\w+)(?=\()/gm;

/**
 * Names in the tables of changes of the sources that are no steps: such a name is in the code of the file, declared or
 * imported, or it is a function of a kernel of the package or of its dependencies.
 * @param {readonly Source[]} sources
 * @param {(folder: string) => readonly string[]} dependenciesOf
 * @returns {string[]}
 */
export function stepTableProblems(sources, dependenciesOf) {
  /** The functions of the kernels of each package. @type {Map<string, Set<string>>} */
  const steps = new Map();
  for (const { file, text } of sources) {
    if (!isProduct(file) || !file.includes('/kernel/')) continue;
    const own = steps.get(packageOf(file)) ?? new Set();
    for (const [, name = ''] of text.matchAll(DECLARED)) own.add(name);
    steps.set(packageOf(file), own);
  }
  return sources.flatMap(({ file, text }) => {
    if (!isProduct(file)) return [];
    const folders = [packageOf(file), ...dependenciesOf(packageOf(file))];
    const here = new Set(identifiers(taken(text).code));
    return stepCells(text).flatMap(({ line, names }) =>
      names
        .filter((name) => !here.has(name) && !folders.some((folder) => steps.get(folder)?.has(name) === true))
        .map((name) => `${file}:${line}: a table names the step ${name}, which no kernel here has`),
    );
  });
}

/**
 * The cells of steps in the tables of a source. A cell may have several lines: the next ones begin in its column.
 * @param {string} text
 */
function stepCells(text) {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!line.startsWith('//')) return [];
    return [...line.matchAll(STEPS_CELL)].map(({ index: column }) => {
      let cell = cellAt(line, column);
      for (let next = index + 1; !cell.includes(']'); next++) {
        const more = lines[next]?.startsWith('//') === true ? cellAt(lines[next] ?? '', column) : '';
        if (more === '') break;
        cell += ` ${more}`;
      }
      // A cell with other words names no step: "[the agent that moves the mark]".
      const names = cell
        .replace(/^\[([^\]]*)\].*/, '$1')
        .split(',')
        .map((name) => name.trim());
      return { line: index + 1, names: names.filter((name) => /^[a-z]\w*$/.test(name)) };
    });
  });
}

/** The cell of a table that begins in that column. @param {string} line @param {number} column */
function cellAt(line, column) {
  return line.slice(column).trimStart().split(/\s{2}/)[0] ?? '';
}

/** Documents for contributors. They name files and functions, and no others' libraries. */
export const CONTRIBUTORS_DOCUMENTS = [
  'docs/ARCHITECTURE.md',
  'docs/CONTRIBUTING.md',
  'docs/crash-injection.md',
  'docs/glossary.md',
  'docs/step-records.md',
];

/**
 * Names in backticks in a document that lead nowhere: a file that does not exist, or that is only one of a test
 * although its name does not say so, and a name that no code has.
 * @param {Source} document
 * @param {readonly Source[]} sources
 * @param {readonly string[]} files all files, as paths from the root
 * @returns {string[]}
 */
export function documentReferenceProblems({ file: name, text }, sources, files) {
  const known = new Set(sources.flatMap((source) => identifiers(source.text)));
  for (const file of files) for (const word of identifiers(file)) known.add(word);
  let isFence = false;
  return text.split('\n').flatMap((line, index) => {
    if (line.includes('```')) isFence = !isFence;
    if (isFence) return [];
    // check-docs checks the targets of links.
    const prose = line.replaceAll(/\[[^\]]*\]\([^)]*\)/g, '');
    const paths = [...prose.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs))`/g)].map(([, path = '']) => path);
    const lost = [
      ...paths.filter((path) => {
        const found = files.filter((file) => file === path || file.endsWith(`/${path}`));
        const mayBeTest = saysTest(path) || found.includes(path);
        return !NO_SOURCE.test(path) && !found.some((file) => mayBeTest || !file.includes('/test/'));
      }),
      ...[...prose.matchAll(NAME)].map(([, each = '']) => each).filter((each) => unknownPart(each, known)),
    ].filter((each) => !NO_SOURCE.test(each));
    return lost.map((each) => `${name}:${index + 1}: names ${each}, which is not there`);
  });
}
