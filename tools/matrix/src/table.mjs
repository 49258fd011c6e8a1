// @ts-check
// docs/matrix.md: what ran where, as tables. The text differs between two runs only if a result or a version does.

/** @typedef {import('./columns.mjs').Column} Column */

/** @typedef {'yes' | 'runs on' | 'none' | 'failed'} Outcome */

const TEXTS = {
  'runs on':
    'A documented limit: `terminate()` does not stop a thread that blocks or computes. The case checks that Sluice does as [documented](../packages/core/README.md#when-a-worker-dies): the thread keeps what it holds, and is not taken for dead.',
  none: 'The pool starts workers of `node:worker_threads` only.',
  failed: 'The case failed.',
};

const HEAD = `# Runtimes

\`npm run matrix\` writes this page. It runs each case below on each runtime, each in a process of its own, on the built packages as an installation has
them. The runtimes come from npm: \`node\`, \`bun\` and \`deno\`. A case checks a payload: numbers that only mutual exclusion keeps right, or every value of a
buffer, in workers that block and in the main thread, which awaits. [The cases](../tools/cases/README.md) also run in
[browsers](../tools/browsers/README.md), by \`npm run test:browsers\`, and on the current Node.js in every test run.

ESM: each thread imports the packages. CJS: each thread requires them.
`;

/** Footnotes, numbered as they are first used. */
class Notes {
  /** @type {string[]} */
  #texts = [];

  /** @param {Outcome} outcome */
  cell(outcome) {
    if (outcome === 'yes') return 'yes';
    const text = TEXTS[outcome];
    if (!this.#texts.includes(text)) this.#texts.push(text);
    const word = { 'runs on': 'limit', none: '–', failed: '**no**' }[outcome];
    return `${word} <sup>${this.#texts.indexOf(text) + 1}</sup>`;
  }

  toString() {
    return this.#texts.map((text, index) => `${index + 1}. ${text}\n`).join('');
  }
}

/** @param {readonly (readonly string[])[]} rows with the head */
const tableOf = ([head = [], ...rows]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/**
 * @typedef {object} Results
 * @property {readonly Column[]} columns
 * @property {readonly { id: string, title: string }[]} rows
 * @property {(column: Column, row: string) => Outcome} outcomeOf
 * @property {readonly string[]} examples
 * @property {(runtime: string, example: string) => Outcome} exampleOutcomeOf
 */

/** @param {Results} results */
export function page({ columns, rows, outcomeOf, examples, exampleOutcomeOf }) {
  const notes = new Notes();
  /** @param {'threads' | 'web'} kind */
  const part = (kind) => {
    const some = columns.filter(({ workers }) => workers === kind);
    return tableOf([
      ['', ...some.map(({ name, form }) => `${name} ${form.toUpperCase()}`)],
      ...rows.map(({ id, title }) => [title, ...some.map((column) => notes.cell(outcomeOf(column, id)))]),
    ]);
  };
  const runtimes = [...new Set(columns.map(({ name }) => name))];
  const firsts = tableOf([
    ['', ...runtimes],
    ...examples.map((example) => [
      `\`${example}\``,
      ...runtimes.map((runtime) => notes.cell(exampleOutcomeOf(runtime, example))),
    ]),
  ]);
  const parts = [
    ['Workers of `node:worker_threads`', part('threads')],
    ['Web workers', part('web')],
    ['The first example of each README', firsts],
  ];
  return `${HEAD}\n${parts.map(([title = '', table = '']) => `## ${title}\n\n${table}\n`).join('')}## Notes\n\n${notes.toString()}`;
}
