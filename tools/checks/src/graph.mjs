// @ts-check
import { builtinModules } from 'node:module';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

/**
 * @typedef {object} PackageFacts
 * @property {string} directory
 * @property {string} name
 * @property {string[]} dependencies what an installation brings along
 * @property {Record<string, string>} [ranges] which version of each
 * @property {string[]} [entries] what others may import beside its main entry, as `exports` names it: './select'
 * @property {{ file: string, text: string }[]} sources
 */

/**
 * The rank of each package, the packages of others that it may bring along, and whether it is of Node.js alone, or
 * which of its files are. Imports only go to a lower rank.
 * @typedef {Record<string, { rank: number, external?: string[], node?: boolean, nodeFiles?: string[] }>} Ranks
 */

/** @param {string} specifier */
const packageName = (specifier) => {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
};

/** @param {string} specifier */
const isBuiltin = (specifier) => specifier.startsWith('node:') || builtinModules.includes(specifier);

/**
 * Why `from` may not depend on `to`, or nothing.
 * @param {string} from
 * @param {string} to
 * @param {Ranks} ranks
 * @returns {string | undefined}
 */
function arrowProblem(from, to, ranks) {
  const own = ranks[from];
  const other = ranks[to];
  if (own === undefined) return undefined;
  if (other === undefined) {
    return own.external?.includes(to) === true ? undefined : `${from} may not depend on ${to}`;
  }
  return other.rank < own.rank
    ? undefined
    : `${from} (rank ${own.rank}) may not depend on ${to} (rank ${other.rank}): arrows only go down`;
}

/**
 * @param {PackageFacts} facts
 * @param {Ranks} ranks
 * @param {ReadonlySet<string>} entries of all packages
 * @returns {string[]}
 */
function importProblems(facts, ranks, entries) {
  const sourceRoot = resolve(facts.directory, 'src') + sep;
  return facts.sources.flatMap(({ file, text }) => {
    const where = relative(dirname(dirname(facts.directory)), file);
    return ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName: specifier }) => {
      if (specifier.startsWith('.')) {
        const inside = resolve(dirname(file), specifier).startsWith(sourceRoot);
        return inside ? [] : [`${where}: ${specifier} leaves the package's src`];
      }
      if (isBuiltin(specifier))
        return ranks[facts.name]?.node === true || ranks[facts.name]?.nodeFiles?.includes(basename(file)) === true
          ? []
          : [`${where}: ${specifier} is a Node.js module`];
      const target = packageName(specifier);
      if (target in ranks && !entries.has(specifier)) return [`${where}: ${specifier} reaches inside ${target}`];
      const problem = arrowProblem(facts.name, target, ranks);
      if (problem !== undefined) return [`${where}: ${problem}`];
      return facts.dependencies.includes(target) ? [] : [`${where}: ${target} is not among the dependencies`];
    });
  });
}

/**
 * Packages of this family share internals, which change with every version: only the very same version will do.
 * @param {PackageFacts} facts
 * @param {Ranks} ranks
 * @returns {string[]}
 */
function rangeProblems({ name, ranges = {} }, ranks) {
  return Object.entries(ranges)
    .filter(([to, range]) => to in ranks && range !== 'workspace:*')
    .map(
      ([to, range]) =>
        `${name} depends on ${to} as ${range}: it must be workspace:*, which is published as the exact version`,
    );
}

/**
 * The packages that changesets must give one version, all of them.
 * @param {string[]} names
 * @param {readonly (readonly string[])[]} fixed
 * @returns {string[]}
 */
export function groupProblems(names, fixed) {
  const largest = fixed.reduce((one, other) => (other.length > one.length ? other : one), []);
  return names
    .filter((name) => !largest.includes(name))
    .map((name) => `.changeset/config.json: ${name} is missing in the group "fixed" of all packages`);
}

/**
 * Every breach of the dependency rules.
 * @param {PackageFacts[]} packages
 * @param {Ranks} ranks
 * @returns {string[]}
 */
export function graphProblems(packages, ranks) {
  const entries = new Set([
    ...Object.keys(ranks),
    ...packages.flatMap(({ name, entries: own = [] }) => own.map((entry) => name + entry.slice(1))),
  ]);
  return packages.flatMap((facts) => {
    if (ranks[facts.name] === undefined) return [`${basename(facts.directory)}: ${facts.name} has no rank yet`];
    const manifest = facts.dependencies
      .map((to) => arrowProblem(facts.name, to, ranks))
      .filter((problem) => problem !== undefined);
    return [...manifest, ...rangeProblems(facts, ranks), ...importProblems(facts, ranks, entries)];
  });
}

/**
 * A package of the workspace, and the files of its sources, tests and tools.
 * @typedef {{ directory: string, name: string, needs: string[], files: { file: string, text: string }[] }} Member
 */

/**
 * Everything that a package of the workspace needs, itself included: what `npm run check:without` removes together.
 * @param {readonly Member[]} members
 * @returns {Map<string, Set<string>>}
 */
function needsOf(members) {
  const direct = new Map(members.map(({ name, needs }) => [name, needs]));
  return new Map(
    members.map(({ name }) => {
      const all = new Set([name]);
      for (const one of all) for (const next of direct.get(one) ?? []) if (direct.has(next)) all.add(next);
      return [name, all];
    }),
  );
}

/**
 * The imports of files, tests included, that would lead nowhere in a tree without some packages: those from a package
 * that stays to one that goes.
 * @param {readonly Member[]} members
 * @param {(name: string) => boolean} isPublished
 * @returns {string[]}
 */
export function removalProblems(members, isPublished) {
  const needs = needsOf(members);
  return members.flatMap(({ directory, name, files }) =>
    files.flatMap(({ file, text }) =>
      ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName: specifier }) => {
        const path = specifier.startsWith('.') ? resolve(dirname(file), specifier) : undefined;
        const target =
          path === undefined
            ? packageName(specifier)
            : members.find((member) => path.startsWith(member.directory + sep))?.name;
        if (target === undefined || target === name) return [];
        const missing = [...(needs.get(target) ?? [])].filter(
          (each) => isPublished(each) && needs.get(name)?.has(each) !== true,
        );
        if (missing.length === 0) return [];
        const where = relative(dirname(dirname(directory)), file);
        return [`${where}: imports ${specifier}, and no dependency in its manifest leads to ${missing.join(', ')}`];
      }),
    ),
  );
}
