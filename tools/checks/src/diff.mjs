// @ts-check
// The difference of two programs, line by line, for pages that show a change.

/**
 * `common[i][j]` is how many lines the rests of `before` from `i` and of `after` from `j` have in common.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
function commonLines(before, after) {
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (/** @type {number} */ i, /** @type {number} */ j) => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const row = common[i];
    if (row === undefined) continue;
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/**
 * Each line with `-`, `+` or a space before it.
 * @param {string} before
 * @param {string} after
 * @returns {string}
 */
export function diff(before, after) {
  const [old, now] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  const common = commonLines(old, now);
  const lines = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(`  ${old[i]}`.trimEnd());
      i += 1;
      j += 1;
    } else if (j === now.length || (i < old.length && common(i + 1, j) >= common(i, j + 1))) {
      lines.push(`- ${old[i]}`.trimEnd());
      i += 1;
    } else {
      lines.push(`+ ${now[j]}`.trimEnd());
      j += 1;
    }
  }
  return lines.join('\n');
}
