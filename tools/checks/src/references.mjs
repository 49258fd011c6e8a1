// @ts-check
// What comments refer to: files, decision records, and the constants and steps of kernels.
import { posix } from 'node:path';

/** @typedef {{ file: string, text: string }} Source `file`: its path from the root, with slashes */

/** The name of a file in a comment, with or without a path. Not in a string. */
const FILE = /(?<![\w@/.'*{}-])((?:\.{1,2}\/)*[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\.(?:ts|mjs|md))\b(?![\w/(])/g;
const DECISIONS = /(?:\bdecisions?[ /])(\d{1,3}(?:(?:, (?:and )?| and )\d{1,3})*)(?![\w-])/gi;
const CONSTANT = /(?<![\w.])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\w)/g;

/** Constants of others, and of examples. */
const FOREIGN = new Set(['FUTEX_CMP_REQUEUE', 'MY_CODE']);

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

/**
 * Names in the comments of sources that lead nowhere. A file is one of the same package, or a path from the root, or a
 * file of another package that this line or the one above names: `core: kernel/walk.ts`.
 * @param {readonly Source[]} sources
 * @param {readonly string[]} files all files, as paths from the root
 * @returns {string[]}
 */
export function referenceProblems(sources, files) {
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
  const names = new Set(parts.flatMap(({ code }) => code.match(/[A-Za-z_$][\w$]*/g) ?? []));

  /**
   * @param {string} name
   * @param {string} from
   * @param {string} words around it
   */
  function isFile(name, from, words) {
    if (name.startsWith('.')) return known.has(posix.join(posix.dirname(from), name));
    return (ending.get(name) ?? []).some((file) => {
      const home = packageOf(file);
      return file === name || home === packageOf(from) || new RegExp(`\\b${posix.basename(home)}\\b`).test(words);
    });
  }

  return parts.flatMap(({ file, comments }) =>
    comments.flatMap(({ line, comment }, index) => {
      const above = comments[index - 1];
      const words = above?.line === line - 1 ? `${above.comment} ${comment}` : comment;
      const text = comment.replaceAll(/https?:\/\/\S+|\bimport \S+/g, '');
      const steps = /^\* @(?:step|death) /.test(comment) ? [...comment.matchAll(/`([a-z]\w*)`/gi)] : [];
      const lost = [
        ...[...text.matchAll(FILE)]
          .map(([, name = '']) => name)
          .filter((name) => !NO_SOURCE.test(name) && !isFile(name, file, words)),
        ...[...text.matchAll(DECISIONS)]
          .flatMap(([, numbers = '']) => numbers.match(/\d+/g) ?? [])
          .filter((number) => !decisions.has(number.padStart(3, '0')))
          .map((number) => `decision ${number}`),
        ...(text.match(CONSTANT) ?? []).filter((name) => !names.has(name) && !FOREIGN.has(name)),
        ...steps.map(([, name = '']) => name).filter((name) => !names.has(name)),
      ];
      return lost.map((name) => `${file}:${line}: names ${name}, which is not there`);
    }),
  );
}
