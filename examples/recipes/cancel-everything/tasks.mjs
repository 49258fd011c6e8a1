/**
 * @param {unknown} _
 * @param {import('sluice').TaskContext} context
 */
export default function work(_, context) {
  while (!context.aborted); // sees the abort even while it never returns to its event loop
}
