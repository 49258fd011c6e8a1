// @ts-check

/**
 * The named ones, each once, in their usual order; a star stands for anything. All if none is named.
 * @template {{ readonly key: string }} Subject
 * @param {string} scenario
 * @param {readonly Subject[]} subjects
 * @param {readonly string[] | undefined} patterns
 * @returns {readonly Subject[]}
 */
export function choose(scenario, subjects, patterns) {
  if (patterns === undefined) return subjects;
  const keys = subjects.map(({ key }) => key);
  const chosen = new Set();
  for (const pattern of patterns) {
    const [begin = '', ...others] = pattern.split('*');
    const end = others.at(-1);
    const fitting = keys.filter((key) =>
      end === undefined ? key === begin : key.startsWith(begin) && key.endsWith(end),
    );
    if (fitting.length === 0) throw new Error(`${scenario} has no subject ${pattern}; there are ${keys.join(', ')}`);
    for (const key of fitting) chosen.add(key);
  }
  return subjects.filter(({ key }) => chosen.has(key));
}

/**
 * @param {string} scenario
 * @param {readonly string[]} known
 * @param {readonly string[] | undefined} named all by default
 */
export function chooseSeries(scenario, known, named = known) {
  const unknown = named.find((series) => !known.includes(series));
  if (unknown !== undefined) throw new Error(`${scenario} has no series ${unknown}; there are ${known.join(', ')}`);
  return named;
}
