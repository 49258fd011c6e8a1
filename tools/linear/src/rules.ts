// Rules that refute a history by the times of single values. They are sound but not complete; the search is complete.
// They are fast: without them, the search would try every order of concurrent pushes before it gave up.
//
// For an unbounded queue of unique values, four rules are complete: no value overtakes another, is lost, comes out
// twice, or comes out without a push (Henzinger, Sezgin, Vafeiadis: Aspect-oriented linearizability proofs, CONCUR
// 2013). The other rules concern the bound and the close.

import { describe, type Operation } from './history.ts';
import type { History, Life } from './steps.ts';

type Rule = (history: History) => string | undefined;

/** Returns the reason why the history is not linearizable, or `undefined` if no rule refutes it. */
export function brokenRule(history: History): string | undefined {
  const ofValues = [outBeforeIn, overtaken, batchReversed, outReversed];
  const ofTheBound = [tooFull, emptyThoughNot, fullThoughNot];
  for (const rule of [...ofValues, ...ofTheBound, inAfterClose, endWithoutClose, endTooEarly]) {
    const reason = rule(history);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const outBeforeIn: Rule = ({ lives }) => {
  const early = [...lives.values()].find(({ push, leftBy }) => leftBy < push.began);
  return early === undefined ? undefined : `${early.value} came out before it went in: ${describe(early.push)}`;
};

/** A value entered before the push of another value began, and left only after the other value had left. */
const overtaken: Rule = ({ lives }) => {
  const ended = [...lives.values()].filter(({ push }) => push.outcome === 'done');
  const inOrder = ended.toSorted((a, b) => a.push.ended - b.push.ended);
  let [next, last] = [0, undefined as Life | undefined];
  for (const life of [...lives.values()].toSorted((a, b) => a.push.began - b.push.began)) {
    for (
      let before = inOrder[next];
      before !== undefined && before.push.ended < life.push.began;
      before = inOrder[(next += 1)]
    ) {
      if (last === undefined || before.leftFrom > last.leftFrom) last = before;
    }
    if (last === undefined || last.leftFrom <= life.leftBy) continue;
    const still = last.pop === undefined ? 'never came out' : `came out later: ${describe(last.pop)}`;
    return `${life.value} overtook ${last.value}, which went in first and ${still}`;
  }
  return undefined;
};

const batchReversed: Rule = ({ operations, lives }) => {
  for (const { kind, outcome, values } of operations) {
    if (kind !== 'push' || (outcome !== 'done' && outcome !== 'pending')) continue;
    for (const [index, value] of values.entries()) {
      const [a, b] = [lives.get(values[index - 1] ?? value), lives.get(value)];
      if (a === b || a === undefined || b?.pop === undefined) continue;
      const swapped = a.pop === b.pop && b.pop.values.indexOf(b.value) < b.pop.values.indexOf(a.value);
      if (swapped || a.leftFrom > b.leftBy) return `${b.value} overtook ${a.value} of the same push`;
    }
  }
  return undefined;
};

const outReversed: Rule = ({ lives }) => {
  for (const { push, pop, value, follows } of lives.values()) {
    const before = lives.get(follows ?? value);
    if (before === undefined || pop === undefined || push.ended >= before.push.began) continue;
    return `${value} was put in first and came out behind ${before.value}: ${describe(pop)}`;
  }
  return undefined;
};

/** Returns the values with the times between which each was certainly in the queue. */
function surely(lives: ReadonlyMap<number, Life>): Life[] {
  return [...lives.values()].filter(({ push, leftFrom }) => push.outcome === 'done' && push.ended < leftFrom);
}

const tooFull: Rule = ({ lives, room }) => {
  const changes = surely(lives).flatMap(({ push, leftFrom, units }): [number, number][] => [
    [push.ended, units],
    [leftFrom, -units],
  ]);
  let used = 0;
  for (const [time, units] of changes.toSorted(([a], [b]) => a - b)) {
    used += units;
    if (used > room) return `at ${time} there were ${used} units in a room of ${room}`;
  }
  return undefined;
};

const emptyThoughNot: Rule = ({ lives, refusals }) => {
  const spans: [from: number, to: number][] = [];
  for (const { push, leftFrom } of surely(lives).toSorted((a, b) => a.push.ended - b.push.ended)) {
    const last = spans.at(-1);
    if (last === undefined || last[1] < push.ended) spans.push([push.ended, leftFrom]);
    else last[1] = Math.max(last[1], leftFrom);
  }
  const looks = refusals.filter(({ kind }) => kind === 'pop');
  const wrong = looks.find(({ began, ended }) => spans.some(([from, to]) => from < began && ended < to));
  return wrong === undefined ? undefined : `${describe(wrong)} found nothing, and it never was empty meanwhile`;
};

const fullThoughNot: Rule = ({ lives, refusals, room, unitsOf }) => {
  const wrong = refusals.find(({ kind, values, began, ended }) => {
    if (kind !== 'push') return false;
    let most = unitsOf(values[0] ?? 0);
    for (const { push, leftBy, units } of lives.values()) if (push.began < ended && leftBy > began) most += units;
    return most <= room;
  });
  return wrong === undefined ? undefined : `${describe(wrong)} found no room, and there was some all the time`;
};

const closes = (operations: readonly Operation[]): Operation[] => operations.filter(({ kind }) => kind === 'close');

const inAfterClose: Rule = ({ operations }) => {
  const closed = Math.min(...closes(operations).map(({ ended }) => ended));
  const late = operations.find(({ kind, outcome, began }) => kind === 'push' && outcome === 'done' && began > closed);
  return late === undefined ? undefined : `${describe(late)} went in after the close at ${closed}`;
};

const endWithoutClose: Rule = ({ operations }) => {
  const first = Math.min(...closes(operations).map(({ began }) => began));
  const early = operations.find(({ outcome, ended }) => outcome === 'closed' && ended < first);
  return early === undefined ? undefined : `${describe(early)} was told the end before any close`;
};

const endTooEarly: Rule = ({ operations, lives }) => {
  const values = [...lives.values()].filter(({ push }) => push.outcome === 'done');
  for (const told of operations) {
    if (told.kind !== 'pop' || told.outcome !== 'closed') continue;
    const left = values.find(({ leftFrom }) => leftFrom > told.ended);
    if (left !== undefined) return `${describe(told)} was told the end, and ${left.value} was left`;
  }
  return undefined;
};
