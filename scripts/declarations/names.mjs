// @ts-check
// What the names that a module exports stand for.

/** @typedef {import('./module.mjs').Binding} Binding */
/** @typedef {Omit<import('./module.mjs').Module, 'statements'>} Names */
/** @typedef {ReadonlyMap<string, Names>} Modules */

/**
 * The name of the file that a class has for itself: `RwLock` is in `rw-lock`.
 * @param {string} className
 */
export const fileNameOf = (className) => className.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();

/**
 * @template {Names} Module
 * @param {ReadonlyMap<string, Module>} modules
 * @param {string} path
 */
export function moduleAt(modules, path) {
  const module = modules.get(path);
  if (module === undefined) throw new Error(`no declarations of ${path}`);
  return module;
}

/**
 * The declaration behind an exported name, through files that only hand it on.
 * @param {Modules} modules
 * @param {string} path
 * @param {string} name
 * @returns {Binding | undefined}
 */
export function declarationOf(modules, path, name) {
  const { exports, imports, stars } = moduleAt(modules, path);
  const exported = exports.get(name);
  if (exported === undefined) {
    for (const { from, isOurs } of stars) {
      const found = isOurs ? declarationOf(modules, from, name) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const binding = typeof exported === 'string' ? imports.get(exported) : exported;
  if (binding === undefined) return { from: path, isOurs: true, name, isTypeOnly: false };
  if (!binding.isOurs || binding.name === '*') return binding;
  const found = declarationOf(modules, binding.from, binding.name);
  return found === undefined ? undefined : { ...found, isTypeOnly: found.isTypeOnly || binding.isTypeOnly };
}

/**
 * @param {Modules} modules
 * @param {string} path
 * @returns {string[]} also those of the modules that it exports as a whole
 */
export function exportedNames(modules, path) {
  const { exports, stars } = moduleAt(modules, path);
  return [
    ...new Set([
      ...exports.keys(),
      ...stars.flatMap(({ from, isOurs }) => (isOurs ? exportedNames(modules, from) : [])),
    ]),
  ];
}
