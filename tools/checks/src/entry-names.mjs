// @ts-check
// The names that a package exports only for the other packages, and the packages that use each of them.

/** @typedef {{ entry: string, names: ReadonlyMap<string, ReadonlySet<string>> }} SharedEntry `names`: the users by name */

/**
 * The names between the braces of imports or exports.
 * @param {Iterable<RegExpMatchArray>} lists
 */
export function namesOf(lists) {
  const items = [...lists].flatMap(([, list = '']) => list.split(','));
  return new Set(items.map((item) => /(?:type )?(\w+)/.exec(item.trim())?.[1] ?? '').filter((name) => name !== ''));
}

/**
 * @param {string} entry the name by which packages import it
 * @param {string} source the text of its list
 * @param {readonly { name: string, texts: readonly string[] }[]} packages with their sources
 * @returns {SharedEntry}
 */
export function sharedEntry(entry, source, packages) {
  const imports = new RegExp(String.raw`(?:import|export) (?:type )?\{([^}]*)\} from '${entry}'`, 'g');
  const used = packages.map(({ name, texts }) => ({
    name,
    names: namesOf(texts.flatMap((text) => [...text.matchAll(imports)])),
  }));
  const exported = namesOf(source.matchAll(/export (?:type )?\{([^}]*)\} from/g));
  const usersOf = (/** @type {string} */ each) => used.filter(({ names }) => names.has(each)).map(({ name }) => name);
  return { entry, names: new Map([...exported].map((each) => [each, new Set(usersOf(each))])) };
}

/**
 * Problems with the number of names of an entry.
 * @param {SharedEntry} entry
 * @param {number | undefined} ceiling
 * @returns {string[]}
 */
export function ceilingProblems({ entry, names }, ceiling) {
  if (ceiling === undefined) return [`${entry} has no ceiling: add it to sluice.names in the package's manifest`];
  if (names.size > ceiling)
    return [
      `${entry} exports ${names.size} names, and its ceiling is ${ceiling}: what one package uses belongs in that package`,
    ];
  return names.size < ceiling ? [`${entry} exports ${names.size} names: lower its ceiling of ${ceiling}`] : [];
}

/**
 * The names with one user, by the user.
 * @param {readonly SharedEntry[]} entries
 * @returns {Map<string, string[]>}
 */
export function namesOfOne(entries) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const { entry, names } of entries) {
    for (const [name, users] of names) {
      const [only, ...others] = users;
      if (only === undefined || others.length > 0) continue;
      found.set(only, [...(found.get(only) ?? []), `${name} (${entry})`]);
    }
  }
  return found;
}
