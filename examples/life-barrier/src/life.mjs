// Conway's Game of Life on a bounded board: one byte for each cell, 1 = alive.

/**
 * Computes the next generation of some rows.
 * @param {Uint8Array} from
 * @param {Uint8Array} to
 * @param {number} size of the square board
 * @param {number} begin
 * @param {number} end
 */
export function step(from, to, size, begin, end) {
  for (let y = begin; y < end; y++) {
    for (let x = 0; x < size; x++) {
      const neighbours = countAround(from, size, x, y);
      const alive = from[y * size + x] === 1;
      to[y * size + x] = neighbours === 3 || (alive && neighbours === 2) ? 1 : 0;
    }
  }
}

/** @param {Uint8Array} board @param {number} size @param {number} x @param {number} y */
function countAround(board, size, x, y) {
  let count = 0;
  for (let row = Math.max(0, y - 1); row <= Math.min(size - 1, y + 1); row++) {
    for (let column = Math.max(0, x - 1); column <= Math.min(size - 1, x + 1); column++) {
      if (row !== y || column !== x) count += board[row * size + column] ?? 0;
    }
  }
  return count;
}

/** @param {Uint8Array} board */
export const population = (board) => board.reduce((sum, cell) => sum + cell, 0);

/**
 * Draws a pattern in the usual format (run length encoded) onto a board.
 * @param {string} text
 * @param {Uint8Array} board
 * @param {number} size
 * @param {number} left
 * @param {number} top
 */
export function draw(text, board, size, left, top) {
  const runs = text
    .split('\n')
    .filter((line) => !/^[#x]/.test(line))
    .join('')
    .matchAll(/(\d*)([bo$!])/g);
  let [x, y] = [left, top];
  for (const [, length, what] of runs) {
    const count = Number(length || 1);
    if (what === '$') [x, y] = [left, y + count];
    else if (what === 'o') board.fill(1, y * size + x, y * size + x + count);
    if (what === 'o' || what === 'b') x += count;
  }
}
