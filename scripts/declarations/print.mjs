// @ts-check
// The declaration files of a package. What only the other packages of the workspace use is in files of its own.
import { posix } from 'node:path';
import { declarationOf, exportedNames, fileNameOf } from './names.mjs';

/** @typedef {import('./module.mjs').Module} Module */
/** @typedef {import('./module.mjs').Statement} Statement */
/** @typedef {import('./reach.mjs').Reached} Reached */
/** @typedef {import('./entries.mjs').Entry} Entry */
/**
 * @typedef {{ modules: ReadonlyMap<string, Module>, entries: readonly Entry[], shown: Reached, all: Reached }} Package
 */

/** Ambient in the sources, and declared in each file that uses them: declarations stand alone. */
const SCALARS = new Map([
  ['i32', 'number'],
  ['i64', 'bigint'],
  ['f64', 'number'],
]);

const COMMENT = /\/\*\*[\s\S]*?\*\/\n?[ \t]*/g;

/**
 * Lines such as `import type { A, B as C } from './file.cjs'`, gathered while a file is written.
 * @param {'import type' | 'export'} verb
 */
function lines(verb) {
  /** @type {Map<string, Set<string>>} */
  const bySource = new Map();
  return {
    /**
     * @param {string} source
     * @param {string} item
     */
    add: (source, item) => void bySource.set(source, (bySource.get(source) ?? new Set()).add(item)),
    text: () => {
      const sources = [...bySource].sort(([one], [other]) => (one < other ? -1 : 1));
      const line = (/** @type {Set<string>} */ items) => {
        const names = [...items].filter((item) => !item.startsWith('*')).sort();
        return [
          ...[...items].filter((item) => item.startsWith('*')),
          ...(names.length > 0 ? [`{ ${names.join(', ')} }`] : []),
        ];
      };
      return sources
        .flatMap(([source, items]) => line(items).map((item) => `${verb} ${item} from '${source}';\n`))
        .join('');
    },
  };
}

/**
 * @param {string} file that names the other
 * @param {string} other
 */
function specifier(file, other) {
  const path = posix.relative(posix.dirname(file), other).replace(/\.d\.cts$/, '.cjs');
  return path.startsWith('.') ? path : `./${path}`;
}

/**
 * @param {Package} everything
 * @returns {Map<string, string>} by path in `dist`
 */
export function print({ modules, entries, shown, all }) {
  const entryOf = new Map(entries.map(({ source, name }) => [source, `${name}.d.cts`]));
  /** What an editor shows to users at names that they import. */
  const imported = new Set(
    entries.filter(({ isPublic }) => isPublic).flatMap(({ source }) => exportedNames(modules, source)),
  );
  const hasShown = (/** @type {string} */ path) => shown.kept.has(path) || shown.whole.has(path);

  /**
   * The file of what a module says as a whole.
   * @param {string} path of the module
   * @param {boolean} isShown
   */
  const fileOf = (path, isShown) =>
    entryOf.get(path) ?? `types/${path}${isShown || !hasShown(path) ? '' : '.internal'}.d.cts`;
  /**
   * @param {string} path
   * @param {string} name
   */
  const statementOf = (path, name) => modules.get(path)?.statements.find(({ names }) => names.includes(name));
  /**
   * @param {string} path
   * @param {Statement} statement
   */
  const fileOfStatement = (path, statement) => {
    const isShown = shown.kept.get(path)?.has(statement) === true;
    const [name = ''] = statement.names;
    const hasOwnFile =
      statement.isClass && isShown && imported.has(name) && !name.endsWith('Error') && !entryOf.has(path);
    return hasOwnFile ? `types/${posix.join(posix.dirname(path), fileNameOf(name))}.d.cts` : fileOf(path, isShown);
  };
  /**
   * The file with the declaration of a name.
   * @param {string} path
   * @param {string} name
   */
  const homeOf = (path, name) => {
    const statement = statementOf(path, name);
    return statement === undefined ? fileOf(path, false) : fileOfStatement(path, statement);
  };

  /**
   * @param {Statement} statement
   * @param {boolean} isPart
   */
  const textOf = ({ names, text, comment, isAbstract, isExported }, isPart) => {
    const code = isPart && !isExported && names.length > 0 ? `export ${text}` : text;
    const isShown =
      names.length === 0 || isAbstract || names.some((name) => imported.has(name) || name.endsWith('Options'));
    return isShown ? comment + code : code.replaceAll(COMMENT, '');
  };

  /**
   * What a file takes from others: the names that it uses and does not declare.
   * @param {string} file
   * @param {string} path
   * @param {readonly Statement[]} statements
   */
  function importsOf(file, path, statements) {
    const taken = lines('import type');
    const here = new Set(statements.flatMap(({ names }) => names));
    for (const name of new Set(statements.flatMap(({ uses }) => [...uses]))) {
      if (here.has(name)) continue;
      const binding = modules.get(path)?.imports.get(name);
      if (binding === undefined) {
        if (statementOf(path, name) !== undefined) taken.add(specifier(file, homeOf(path, name)), name);
      } else if (binding.name === '*')
        taken.add(
          binding.isOurs ? specifier(file, fileOf(binding.from, shown.whole.has(binding.from))) : binding.from,
          `* as ${name}`,
        );
      else {
        const found = binding.isOurs ? declarationOf(modules, binding.from, binding.name) : binding;
        if (found === undefined) throw new Error(`${path}: ${binding.from} does not declare ${binding.name}`);
        taken.add(
          found.isOurs ? specifier(file, homeOf(found.from, found.name)) : found.from,
          found.name === name ? name : `${found.name} as ${name}`,
        );
      }
    }
    return taken.text();
  }

  /**
   * The packages from which a module exports everything, itself or through its own modules.
   * @param {string} path
   * @returns {string[]}
   */
  const foreignStars = (path) =>
    (modules.get(path)?.stars ?? []).flatMap(({ from, isOurs }) => (isOurs ? foreignStars(from) : [from]));

  /**
   * What a file hands on from others.
   * @param {string} file
   * @param {string} path
   */
  function exportsOf(file, path) {
    const handedOn = lines('export');
    for (const from of foreignStars(path)) handedOn.add(from, '*');
    for (const name of exportedNames(modules, path)) {
      const found = declarationOf(modules, path, name);
      if (found === undefined) throw new Error(`${path} does not declare ${name}`);
      const home = found.isOurs ? homeOf(found.from, found.name) : undefined;
      if (home === file) continue;
      const isType = found.isTypeOnly || (found.isOurs && statementOf(found.from, found.name)?.isType === true);
      handedOn.add(
        home === undefined ? found.from : specifier(file, home),
        `${isType ? 'type ' : ''}${found.name === name ? name : `${found.name} as ${name}`}`,
      );
    }
    return handedOn.text();
  }

  /**
   * @param {string} file
   * @param {string} path
   * @param {readonly Statement[]} statements
   * @param {{ isWhole: boolean, isPart: boolean }} how `isPart`: the module's declarations have several files, which
   *   take names from each other
   */
  function write(file, path, statements, { isWhole, isPart }) {
    const scalars = [...SCALARS]
      .filter(([name]) => statements.some(({ uses }) => uses.has(name)))
      .map(([name, type]) => `type ${name} = ${type};\n`);
    const handedOn = isWhole ? exportsOf(file, path) : '';
    // A file of declarations that exports nothing by name exports all, and without any it is no module.
    const end =
      handedOn === '' &&
      (statements.length === 0 || scalars.length > 0 || (!isPart && statements.some(({ isExported }) => !isExported)))
        ? 'export {};\n'
        : '';
    return [
      importsOf(file, path, statements),
      handedOn,
      ...scalars,
      ...statements.map((statement) => `${textOf(statement, isPart)}\n`),
      end,
    ].join('');
  }

  /** @type {Map<string, string>} */
  const files = new Map();
  for (const [path, { statements }] of modules) {
    /** @type {Map<string, Statement[]>} */
    const parts = new Map();
    for (const { whole } of [shown, all]) if (whole.has(path)) parts.set(fileOf(path, whole === shown.whole), []);
    if (entryOf.has(path)) parts.set(fileOf(path, true), []);
    const wholes = new Set(parts.keys());
    for (const statement of statements.filter((each) => all.kept.get(path)?.has(each) === true)) {
      const file = fileOfStatement(path, statement);
      parts.set(file, [...(parts.get(file) ?? []), statement]);
    }
    for (const [file, there] of parts) {
      if (files.has(file)) throw new Error(`${file} would have the declarations of two source files`);
      files.set(file, write(file, path, there, { isWhole: wholes.has(file), isPart: parts.size > 1 }));
    }
  }
  return files;
}
