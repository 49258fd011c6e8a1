// @ts-check
// The mutants that comments name. A comment that shows how a wake-up would be lost names the mutant with that fault:
// `the mutant "a hand-over wakes no waiter"`. So the model proves what the comment says, as long as the mutant exists.

/** @typedef {import('./references.mjs').Source} Source */

const OF_MUTANTS = /mutants\.ts$/;
const NAME = /\bname:\s*(?:'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`)/g;
const COMMENT = /^\s*(?:\/\/|\/\*\*|\*)/;
const NAMED = /\bmutants? "([^"]+)"(?: and "([^"]+)")?/g;

/**
 * The names of all mutants. Their files have names that end in "mutants".
 * @param {readonly Source[]} sources
 * @returns {Set<string>}
 */
export function mutantNames(sources) {
  return new Set(
    sources
      .filter(({ file }) => OF_MUTANTS.test(file))
      .flatMap(({ text }) => [...text.matchAll(NAME)].map(([, one, two, three]) => one ?? two ?? three ?? '')),
  );
}

/**
 * The runs of comment lines, each as one text, with the line in which it begins.
 * @param {string} text
 * @returns {{ line: number, words: string }[]}
 */
function runsOf(text) {
  /** @type {{ line: number, words: string }[]} */
  const runs = [];
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    const isComment = COMMENT.test(line);
    if (isComment && !isOpen) runs.push({ line: index + 1, words: '' });
    const run = runs.at(-1);
    if (isComment && run !== undefined) run.words += `${line.replace(COMMENT, '').trim()} `;
    isOpen = isComment;
  }
  return runs;
}

/**
 * Mutants that comments name and that do not exist.
 * @param {readonly Source[]} sources
 * @returns {string[]}
 */
export function mutantProblems(sources) {
  const known = mutantNames(sources);
  return sources.flatMap(({ file, text }) =>
    runsOf(text).flatMap(({ line, words }) =>
      [...words.matchAll(NAMED)]
        .flatMap(([, one, other]) => [one, other])
        .filter((name) => name !== undefined && !known.has(name))
        .map((name) => `${file}:${line}: names the mutant "${name}", which does not exist`),
    ),
  );
}
