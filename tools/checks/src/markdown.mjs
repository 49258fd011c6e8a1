// @ts-check

/** @typedef {{ line: number, language: string, info: readonly string[], code: string }} Fence */
/**
 * @typedef {{ line: number, language: string, code: string, needs: string | undefined }} Snippet `needs`: a server that
 *   must be running
 */

const FENCE = /^(`{3,}|~{3,})\s*(\S*)\s*(.*)$/;

/**
 * The lines of a document with the fenced blocks taken out, and the blocks.
 * @param {string} text
 */
function splitFences(text) {
  /** @type {{ line: number, language: string, info: string[], code: string[] }[]} */
  const blocks = [];
  /** @type {string[]} */
  const prose = [];
  /** @type {string | undefined} */
  let fence;
  text.split('\n').forEach((line, index) => {
    const [, mark = '', language = '', info = ''] = FENCE.exec(line.trimStart()) ?? [];
    if (fence !== undefined) {
      if (mark.startsWith(fence) && language === '') fence = undefined;
      else blocks.at(-1)?.code.push(line);
    } else if (mark !== '') {
      fence = mark;
      blocks.push({ line: index + 1, language, info: info.split(/\s+/), code: [] });
    } else {
      prose.push(line);
    }
  });
  return { blocks, prose };
}

/**
 * All fenced blocks.
 * @param {string} text
 * @returns {Fence[]}
 */
export const fences = (text) =>
  splitFences(text).blocks.map(({ code, ...block }) => ({ ...block, code: code.join('\n') }));

/** @param {Fence} fence */
const asksToRun = ({ language, info }) => /^(ts|js|mjs|typescript|javascript)$/.test(language) && info.includes('run');

/**
 * The snippets that ask to be run: fences whose first line says `ts run` or `js run`, or, if a server must be running,
 * `js run needs=redis`.
 * @param {string} text
 * @returns {Snippet[]}
 */
export function runnableSnippets(text) {
  return fences(text)
    .filter(asksToRun)
    .map(({ line, language, info, code }) => ({
      line,
      language,
      code,
      needs: info.find((word) => word.startsWith('needs='))?.slice('needs='.length),
    }));
}

/**
 * The blocks that show a file, or the difference of two: fences whose first line says `js from=path/in/the/repository`
 * or `diff from=path to=path`.
 * @param {string} text
 * @returns {{ line: number, path: string, to: string | undefined, code: string }[]}
 */
export function fencesOfFiles(text) {
  return splitFences(text).blocks.flatMap(({ line, info, code }) => {
    const [path] = info.flatMap((word) => (word.startsWith('from=') ? [word.slice('from='.length)] : []));
    const [to] = info.flatMap((word) => (word.startsWith('to=') ? [word.slice('to='.length)] : []));
    return path === undefined ? [] : [{ line, path, to, code: code.map((each) => `${each}\n`).join('') }];
  });
}

/**
 * The code of the first fence below a heading.
 * @param {string} text
 * @param {string} anchor of the heading
 * @returns {string | undefined}
 */
export function codeBelow(text, anchor) {
  const blocks = splitFences(text).blocks;
  const ends = blocks.map(({ line, code }) => line + code.length + 1);
  const at = text
    .split('\n')
    .findIndex(
      (line, index) =>
        anchors(line).has(anchor) && !blocks.some((block, n) => index + 1 > block.line && index + 1 < (ends[n] ?? 0)),
    );
  const block = at < 0 ? undefined : blocks.find(({ line }) => line > at);
  return block?.code.map((each) => `${each}\n`).join('');
}

/**
 * The text with the characters of fenced blocks and of code replaced, each by one that no link has. Offsets stay.
 * @param {string} text
 */
function withoutCode(text) {
  /** @type {string | undefined} */
  let fence;
  const lines = text.split('\n').map((line) => {
    const [, mark = '', language = ''] = FENCE.exec(line.trimStart()) ?? [];
    const inside = fence !== undefined;
    if (fence === undefined) fence = mark === '' ? undefined : mark;
    else if (mark.startsWith(fence) && language === '') fence = undefined;
    return inside || mark !== '' ? '`'.repeat(line.length) : line;
  });
  return lines.join('\n').replaceAll(/`[^`\n]*`/g, (code) => '`'.repeat(code.length));
}

/**
 * Targets of links and images that point into the repository, with their offsets.
 * @param {string} text
 */
function localTargets(text) {
  const prose = withoutCode(text);
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/dg)];
  const references = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)>?/dgm)];
  return [...inline, ...references]
    .map(({ 1: target = '', indices }) => ({ target, at: indices?.[1]?.[0] ?? 0 }))
    .filter(({ target }) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(target));
}

/**
 * Targets of links and images that point into the repository.
 * @param {string} text
 * @returns {string[]}
 */
export function localLinks(text) {
  return localTargets(text).map(({ target }) => target);
}

/**
 * The text with each target of a local link replaced.
 * @param {string} text
 * @param {(target: string) => string} replacement
 */
export function withLocalLinks(text, replacement) {
  return localTargets(text)
    .sort((one, other) => other.at - one.at)
    .reduce((done, { target, at }) => done.slice(0, at) + replacement(target) + done.slice(at + target.length), text);
}

/**
 * The anchors that a document offers: its headings, as the usual renderers name them.
 * @param {string} text
 * @returns {Set<string>}
 */
export function anchors(text) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  const headings = splitFences(text).prose.filter((line) => /^#{1,6}\s/.test(line));
  return new Set(
    headings.map((heading) => {
      const words = heading.replace(/^#+\s+/, '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      const slug = words
        .trim()
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}
