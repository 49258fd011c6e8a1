// @ts-check
// What documents say of the packages, compared with their manifests: what each depends on, its rank, and what it is.

/**
 * @typedef {object} PackageFacts
 * @property {string} name
 * @property {string} description
 * @property {number} rank
 * @property {string[]} dependencies those of this family
 * @property {string} readme
 * @property {string} sources its source text
 */

/** The longest cell of a table in the README of a package, in characters: what needs more is a section. */
const LONGEST_CELL = 380;

/** @param {string} name */
const shortOf = (name) => name.replace('@sluice/', '');

/** @param {readonly string[]} names */
const listOf = (names) => [...names].sort().join(', ') || 'nothing';

/**
 * The sentence "Depends on … only" of a README names the dependencies of the manifest.
 * @param {PackageFacts} facts
 * @returns {string[]}
 */
export function sentenceProblems({ name, dependencies, readme }) {
  const sentence = /\bDepends on\s(.{0,400}?)\sonly\./s.exec(readme)?.[1];
  if (sentence === undefined) return [];
  const named = [...sentence.matchAll(/\[(@sluice\/[\w-]+)\]/g)].map(([, each = '']) => each);
  return listOf(named) === listOf(dependencies)
    ? []
    : [`${name}: the README says that it depends on ${listOf(named)}, the manifest: ${listOf(dependencies)}`];
}

/** @param {string} line */
const cellsOf = (line) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

/**
 * The table of the root README whose last column is "Depends on": it has each package once, names the dependencies of
 * its manifest, and names only classes of that package.
 * @param {string} readme of the root
 * @param {readonly PackageFacts[]} packages
 * @returns {string[]}
 */
export function tableProblems(readme, packages) {
  const lines = readme.split('\n');
  const head = lines.findIndex((line) => cellsOf(line).at(-1) === 'Depends on');
  if (head < 0) return ['README.md: there is no table with the column "Depends on"'];
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'));
  const rows = lines.slice(head + 2, end < 0 ? undefined : end).map(cellsOf);
  const known = new Map(packages.map((each) => [shortOf(each.name), each]));
  const named = rows.flatMap(([packagesOfRow = '']) => packagesOfRow.split(', '));
  const missing = [...known.keys()].filter((name) => named.filter((each) => each === name).length !== 1);
  return [
    ...missing.map((name) => `README.md: the table of packages does not have ${name} once`),
    ...rows.flatMap(([packagesOfRow = '', memory = '', dependsOn = '']) => {
      const facts = packagesOfRow.split(', ').flatMap((name) => known.get(name) ?? []);
      // What stands behind a semicolon is optional, and not of this family.
      const [given = ''] = dependsOn.split(';');
      const said = given === 'nothing' ? [] : given.split(', ');
      const classes = [...memory.matchAll(/`([A-Z][a-z]\w*)`/g)].map(([, each = '']) => each);
      return [
        ...facts
          .filter(({ dependencies }) => listOf(dependencies.map(shortOf)) !== listOf(said))
          .map(({ name, dependencies }) => {
            const manifest = listOf(dependencies.map(shortOf));
            return `README.md: the table says that ${name} depends on ${listOf(said)}, the manifest: ${manifest}`;
          }),
        ...classes
          .filter((each) => !facts.some(({ sources }) => new RegExp(`\\bclass ${each}\\b`).test(sources)))
          .map((each) => `README.md: the table has ${each} in the row of ${packagesOfRow}, which has no such class`),
      ];
    }),
  ];
}

/**
 * The list of ranks in ARCHITECTURE.md has each package once, under the rank of its manifest. `rank 2` at the beginning
 * of a line holds for the packages of this line and of the lines below it.
 * @param {string} page
 * @param {readonly { name: string, rank: number }[]} packages
 * @returns {string[]}
 */
export function rankProblems(page, packages) {
  const where = 'docs/ARCHITECTURE.md: the list of ranks';
  /** @type {{ folder: string, rank: number }[]} */
  const listed = [];
  let rank = -1;
  for (const line of page.split('\n')) {
    const [, given, folder] = /^(?:rank (\d+))? +packages\/([\w-]+) /.exec(line) ?? [];
    if (folder === undefined) continue;
    rank = given === undefined ? rank : Number(given);
    listed.push({ folder, rank });
  }
  const known = new Set(packages.map(({ name }) => shortOf(name)));
  return [
    ...listed
      .filter(({ folder }) => !known.has(folder))
      .map(({ folder }) => `${where} has ${folder}, which is no package`),
    ...packages.flatMap(({ name, rank: right }) => {
      const found = listed.filter(({ folder }) => folder === shortOf(name));
      if (found.length !== 1) return [`${where} does not have ${shortOf(name)} once`];
      const [{ rank: said } = { rank: -1 }] = found;
      return said === right ? [] : [`${where} has ${shortOf(name)} under rank ${said}, the manifest has ${right}`];
    }),
  ];
}

/**
 * The changeset of the first release lists each package with the description of its manifest.
 * @param {string} changeset
 * @param {readonly PackageFacts[]} packages
 * @returns {string[]}
 */
export function changesetProblems(changeset, packages) {
  const where = '.changeset/first-release.md';
  const listed = new Map([...changeset.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, name, text]) => [name, text]));
  const released = new Set([...changeset.matchAll(/^'([^']+)': minor$/gm)].map(([, name]) => name));
  return packages.flatMap(({ name, description }) => [
    ...(released.has(name) ? [] : [`${where}: does not release ${name}`]),
    ...(listed.get(name) === description ? [] : [`${where}: not the description of ${name}: ${description}`]),
  ]);
}

/**
 * Cells of tables that are too long for one sentence.
 * @param {string} name of the document
 * @param {string} text
 * @returns {string[]}
 */
export function cellProblems(name, text) {
  return text.split('\n').flatMap((line, index) => {
    const longest = line.startsWith('|') ? Math.max(0, ...cellsOf(line).map(({ length }) => length)) : 0;
    return longest > LONGEST_CELL
      ? [`${name}:${index + 1}: a cell has ${longest} characters, more than ${LONGEST_CELL}: make it a section`]
      : [];
  });
}

/** Numbers up to ten, as documents write them. */
const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/**
 * The row of the worker pool in the root README names as many words as the slot table has.
 * @param {string} readme of the root
 * @param {string} slotTable the source of the slot table of worker-pool
 * @returns {string[]}
 */
export function slotTableProblems(readme, slotTable) {
  const said = /a region with (\w+) 32-bit words for each task and (\w+) more/.exec(readme)?.slice(1) ?? [];
  const has = ['SLOT_WORDS', 'SHARED_WORDS'].map(
    (name) => NUMBERS[Number(new RegExp(`const ${name} = (\\d+);`).exec(slotTable)?.[1])],
  );
  return said.join() === has.join()
    ? []
    : [`README.md: the slot table of the pool has ${has.join(' and ')} words, not ${said.join(' and ')}`];
}

/** The sections that READMEs of packages share, in their order. A README need not have all of them. */
const SECTIONS = ['Example', 'Guarantees', 'API', 'When to take something else', 'How it works'];

/**
 * Shared sections of a README that stand in another order than in the other READMEs.
 * @param {string} name of the document
 * @param {string} text
 * @returns {string[]}
 */
export function orderProblems(name, text) {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  const found = headings.filter((heading) => SECTIONS.includes(heading));
  const ordered = SECTIONS.filter((section) => found.includes(section));
  return found.join() === ordered.join()
    ? []
    : [`${name}: the sections are in the order ${found.join(', ')}, not ${ordered.join(', ')}`];
}
