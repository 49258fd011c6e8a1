// @ts-check
// What formatters leave undone in comments: the columns of tables, and lines that a wrap has left over.

/** The longest line of a comment, in columns. */
const WIDTH = 120;

/** @typedef {{ line: number, text: string }} Line */

/**
 * The runs of lines of a source that have nothing but a `//` comment.
 * @param {string} source
 * @returns {Line[][]}
 */
export function commentBlocks(source) {
  /** @type {Line[][]} */
  const blocks = [];
  let isOpen = false;
  for (const [index, text] of source.split('\n').entries()) {
    const isComment = /^\s*\/\//.test(text);
    if (isComment && !isOpen) blocks.push([]);
    if (isComment) blocks.at(-1)?.push({ line: index + 1, text: text.trimStart() });
    isOpen = isComment;
  }
  return blocks;
}

/**
 * The columns in which the cells of a row begin: two spaces or more part two cells.
 * @param {string} text
 */
function columnsOf(text) {
  return [...text.slice(2).matchAll(/(?<=^ | {2})\S/g)].map(({ index }) => index + 2);
}

/**
 * Lines of tables in comments that are out of their columns. A row is indented by three spaces. A line that is indented
 * further continues the row above, so it begins in the column of a cell of that row. A cell that names steps, such as
 * `[lock, unlock]`, begins in the same column in all rows, and so does the cell behind it.
 * @param {string} name of the file
 * @param {string} source
 * @returns {string[]}
 */
export function tableProblems(name, source) {
  return commentBlocks(source).flatMap((block) => {
    /** The columns of the row and of the lines that continue it. @type {Set<number>} */
    let columns = new Set();
    let listDepth = Infinity;
    /** The columns of the cell that names steps and of the cell behind it, in the rows above. @type {number[]} */
    let ofSteps = [];
    return block.flatMap(({ line, text }) => {
      const depth = text.slice(2).search(/\S/);
      const isItem = /^(\d+\.|-) /.test(text.slice(depth + 2));
      if (depth < 0 || depth <= listDepth) listDepth = isItem ? depth : Infinity;
      const cells = columnsOf(text);
      const [first] = cells;
      const isRow = depth <= 3;
      const known = columns;
      columns = new Set(isRow ? cells : [...columns, ...cells]);
      if (depth < 3) ofSteps = [];
      const steps = cells.findIndex((column) => text[column] === '[');
      if (isRow && !isItem && steps > 0) {
        const [at = 0, behind = ofSteps[1]] = cells.slice(steps, steps + 2);
        const off = at !== (ofSteps[0] ?? at) ? at : behind !== (ofSteps[1] ?? behind) ? behind : undefined;
        ofSteps = behind === undefined ? [at] : [at, behind];
        if (off !== undefined) return [`${name}:${line}: has a cell in column ${off + 1}, unlike the rows above`];
      }
      if (isRow || isItem || depth > listDepth || known.size === 0 || first === undefined || known.has(first))
        return [];
      return [`${name}:${line}: begins in column ${first + 1}, in which no cell of the row above begins`];
    });
  });
}

/** The start of a line that goes on with the sentence above: a word in lower case that is no path. */
const LATER_PART = /^\s*(?:\/\/|\*) +[a-z][^\s./]*(?:[\s,;:]|\.?$)/;

/**
 * A sentence that begins with a word in lower case: what was two comments is one. The words are those that no code has
 * as a name, because a sentence may begin with a name (`ticket decreases`). An abbreviation ends no sentence.
 */
const LOWER_SENTENCE =
  /(?<!\b(?:e\.g|i\.e|etc|vs|cf|al))(?<=[a-z\d)`'"])\. (?:the|an|its|it|this|these|that|those|they|their|there|what|which|when|while|unless|until|because|then|so|but|and|or|as|at|by|from|with|without|after|before|how|not|each|every|all|both|also|only)(?= )/;

/** The core, by a name that no other place has for it. */
const OLD_NAME = /\bbase: `|\b[Tt]he base's |\b[Tt]he base (?:walks|or a kind)\b/;

/**
 * What a wrap has left over in comments: a line that repeats the line above, one that begins within a sentence although
 * the line above ends one (in the comment at the top of a file, and in docstrings), and a line that is too long. Also
 * a line with a sentence that begins in lower case, and one that calls the core the base.
 * @param {string} name of the file
 * @param {string} source
 * @returns {string[]}
 */
export function lineProblems(name, source) {
  const [header] = commentBlocks(source);
  const headerEnd = header?.[0]?.line === 1 ? header.length : 0;
  let isCode = false;
  let above = '';
  return source.split('\n').flatMap((text, index) => {
    const previous = above;
    above = text;
    if (!/^\s*(\/\/|\*)/.test(text)) {
      isCode = false;
      return [];
    }
    if (text.includes('```')) isCode = !isCode;
    const where = `${name}:${index + 1}`;
    const problems = [];
    const isProse = (index < headerEnd && !/[^\s/] {2}/.test(text)) || /^\s*\*/.test(text);
    if (!isCode && /[a-z]/.test(text) && text === previous) problems.push(`${where}: repeats the line above`);
    else if (!isCode && isProse && LATER_PART.test(text) && /^\s*(\/\/|\*).*[a-z)]\.$/.test(previous))
      problems.push(`${where}: begins within a sentence, but the line above ends with a full stop`);
    if (!isCode && LOWER_SENTENCE.test(text)) problems.push(`${where}: has a sentence that begins in lower case`);
    if (OLD_NAME.test(text)) problems.push(`${where}: calls the core the base`);
    if (index < headerEnd && text.length > WIDTH) problems.push(`${where}: has ${text.length} columns`);
    return problems;
  });
}
