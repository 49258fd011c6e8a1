// The results: a tally of each block, and their sum.

const REQUEST =
  /^\S+ \S+ \S+ \[[^:\]]+:(\d\d):[^\]]+\] "[A-Z]+ ([!#-~]+) HTTP\/[\d.]+" (\d{3}) (\d+|-)(?: "[^"]*" "([^"]*)")?\r?$/;
/** The first pattern that matches counts, because most agents claim to be several. */
const AGENTS = /** @type {const} */ ([
  ['machines', /bot|crawl|spider|curl|wget|python/i],
  ['Firefox', /Firefox\//],
  ['Edge', /Edg\//],
  ['Chrome', /Chrome\//],
  ['Safari', /Safari\//],
]);

const MAPS = /** @type {const} */ (['statuses', 'hours', 'agents', 'paths']);

/**
 * Maps as lists of pairs, so that it can be sent as JSON.
 * @typedef {object} Tally
 * @property {number} read how many bytes were parsed
 * @property {number} lines
 * @property {number} malformed lines that are not requests
 * @property {number} sent bytes
 * @property {[status: string, count: number][]} statuses
 * @property {[hour: string, count: number][]} hours of the day
 * @property {[agent: string, count: number][]} agents
 * @property {[path: string, count: number][]} paths without their queries
 */

/**
 * @param {Buffer} block whole lines
 * @returns {Tally}
 */
export function tallyOf(block) {
  const sum = new Sum();
  // One character for each byte: no pattern here matches other characters.
  const lines = block.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) sum.addLine(line);
  sum.read = block.length;
  return sum.tally();
}

export class Sum {
  read = 0;
  #lines = 0;
  #malformed = 0;
  #sent = 0;
  #maps = /** @type {{ [name in typeof MAPS[number]]: Map<string, number> }} */ (
    Object.fromEntries(MAPS.map((name) => [name, new Map()]))
  );

  /** @param {string} line */
  addLine(line) {
    this.#lines += 1;
    const [, hour, target, status, sent, agent] = REQUEST.exec(line) ?? [];
    if (hour === undefined || target === undefined || status === undefined) {
      this.#malformed += 1;
      return;
    }
    const { statuses, hours, agents, paths } = this.#maps;
    count(statuses, status, 1);
    count(hours, hour, 1);
    count(agents, agentOf(agent), 1);
    const query = target.indexOf('?');
    count(paths, query < 0 ? target : target.slice(0, query), 1);
    if (sent !== '-') this.#sent += Number(sent);
  }

  /** @param {Tally} tally */
  add(tally) {
    this.read += tally.read;
    this.#lines += tally.lines;
    this.#malformed += tally.malformed;
    this.#sent += tally.sent;
    for (const name of MAPS) for (const [what, times] of tally[name]) count(this.#maps[name], what, times);
  }

  /** @returns {Tally} */
  tally() {
    const { statuses, hours, agents, paths } = this.#maps;
    const lists = { statuses: [...statuses], hours: [...hours], agents: [...agents], paths: [...paths] };
    return { read: this.read, lines: this.#lines, malformed: this.#malformed, sent: this.#sent, ...lists };
  }
}

/**
 * Describes what was lost, or differs between the passes.
 * @param {number} lines the number of lines in the log
 * @param {Tally[]} tallies of all passes, that of one thread last
 */
export function findLosses(lines, tallies) {
  const alone = tallies.at(-1);
  const expected = alone === undefined ? '' : inOrder(alone);
  return tallies.flatMap((tally, pass) => {
    if (tally.lines !== lines) return [`${tally.lines} of ${lines} lines were parsed in pass ${pass + 1}`];
    return inOrder(tally) === expected ? [] : [`pass ${pass + 1} differs from the pass on one thread`];
  });
}

/**
 * Blocks come in any order, so the order within a list means nothing.
 * @param {Tally} tally
 */
function inOrder(tally) {
  return JSON.stringify({ ...tally, ...Object.fromEntries(MAPS.map((name) => [name, tally[name].toSorted(byName)])) });
}

/**
 * @param {[string, number]} one
 * @param {[string, number]} other
 */
function byName([one], [other]) {
  return one < other ? -1 : 1;
}

/** @param {string | undefined} text */
function agentOf(text) {
  if (text === undefined || text === '-') return 'not told';
  return AGENTS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'others';
}

/**
 * @param {Map<string, number>} counts
 * @param {string} what
 * @param {number} times
 */
function count(counts, what, times) {
  counts.set(what, (counts.get(what) ?? 0) + times);
}
