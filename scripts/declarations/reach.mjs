// @ts-check
// Which declarations a user of some entries can meet: what these export, and what that mentions.
import { declarationOf, exportedNames, moduleAt } from './names.mjs';

/** @typedef {import('./module.mjs').Module} Module */
/** @typedef {import('./module.mjs').Statement} Statement */
/** @typedef {ReadonlyMap<string, Module>} Modules */
/**
 * @typedef {{ kept: ReadonlyMap<string, ReadonlySet<Statement>>, whole: ReadonlySet<string> }} Reached `whole`: modules
 *   whose exports are used as one object
 */

/**
 * @param {Modules} modules
 * @param {readonly string[]} entries their modules
 * @returns {Reached}
 */
export function reachable(modules, entries) {
  /** @type {Map<string, Set<Statement>>} */
  const kept = new Map();
  /** @type {Set<string>} */
  const whole = new Set();

  /**
   * @param {string} path
   * @param {Statement} statement
   */
  const keep = (path, statement) => {
    const there = kept.get(path) ?? new Set();
    kept.set(path, there);
    if (there.has(statement)) return;
    there.add(statement);
    const { imports, statements } = moduleAt(modules, path);
    // What the file says to other packages is said as soon as a part of the file is there.
    for (const other of statements) if (other.names.length === 0) keep(path, other);
    for (const name of statement.uses) {
      keepLocal(path, name);
      const binding = imports.get(name);
      if (binding?.isOurs !== true) continue;
      if (binding.name === '*') whole.add(binding.from);
      keepExported(binding.from, binding.name);
    }
  };
  /**
   * @param {string} path
   * @param {string} name
   */
  const keepLocal = (path, name) => {
    for (const statement of moduleAt(modules, path).statements)
      if (statement.names.includes(name)) keep(path, statement);
  };
  /**
   * @param {string} path
   * @param {string} name
   */
  const keepExported = (path, name) => {
    for (const each of name === '*' ? exportedNames(modules, path) : [name]) {
      const found = declarationOf(modules, path, each);
      if (found === undefined) throw new Error(`${path} does not declare ${each}`);
      if (found.isOurs) keepLocal(found.from, found.name);
    }
  };

  for (const path of entries) keepExported(path, '*');
  return { kept, whole };
}
