// The operations on the values of a cache. The value of a key is a line with one permit, whose holder computes it.
//
//   operation  arguments                                answers
//   fetch      name, sequence, permits, waits, stale,   done FRESH VALUE · granted TOKEN 0 · waiting 0 · busy
//              mark
//   keep       name, sequence, mark, fresh, stale,      kept · absent
//              value
//   put        name, fresh, stale, value                put
//   peek       name, mark                               done FRESH VALUE · none
//   remove     name, mark                               removed 1 · removed 0
//   clear      mark                                     cleared
//
// `stale`: whether the caller takes a value that is not fresh. Of `keep` and `put`: the times in ms for which a value
// is fresh, and stale after that. `mark`: the name under which the cache keeps the version at which it was cleared.
//
// 1. A session computes while it holds the permit. If it fails or dies, the permit returns, and the next in line
//    computes.
// 2. `keep` ends all waits: each waiter asks again, and finds the value.
// 3. `put` and `remove` take the permit from a session that computes, so its `keep` finds no grant. `clear` does not
//    know who computes. A grant that is older than the mark keeps nothing.
// 4. `put`, `remove` and `clear` that are sent again act again. An observer may see the value of a `put` twice, with
//    another one between, but never after a later change of the same session.

import { MESSAGE } from '../engine/protocol.ts';
import { grant, note, shown, take, waits } from './line.ts';
import { joinLine, lineAt, newLine, sweepKey } from './primitives.ts';
import { idOf, type LineRecord } from './state.ts';
import type { Step } from './step.ts';
import { valueOf, valueText } from './value.ts';

const TEXT = '0 0 0 0';
/** Longer than any value is kept. */
const MARK_US = 3_000_000e6;

/** The version at which the cache was cleared. */
function clearedAt(step: Step, mark: string): number {
  return Number(lineAt(step, mark)?.done ?? 0);
}

export function fetch(
  step: Step,
  name: string,
  seq: number,
  n: number,
  mayWait: number,
  stale: number,
  mark: string,
): string[] {
  const { me } = step;
  const cleared = clearedAt(step, mark);
  let line = lineAt(step, name);
  const held = line?.grants.get(idOf(me, seq));
  if (line !== undefined && held !== undefined) return ['granted', shown(step, line, held), '0'];
  const found = valueOf(line, step.us, cleared);
  if (found !== undefined && (found.isFresh || stale === 1)) return ['done', found.isFresh ? '1' : '0', found.value];
  line = joinLine(step, me, name, 1, TEXT);
  if (found === undefined) line.done = undefined;
  if (waits(line, me, seq, n)) return ['waiting', '0'];
  if (line.free > 0) {
    note(line, me, seq);
    return ['granted', shown(step, line, take(step, line, me, seq, n)), '0'];
  }
  if (mayWait === 0) return ['busy'];
  line.waiters.push({ session: me, seq, n });
  note(line, me, seq);
  return ['waiting', '0'];
}

export function keep(
  step: Step,
  name: string,
  seq: number,
  mark: string,
  fresh: number,
  stale: number,
  value: string,
): string[] {
  const line = lineAt(step, name);
  const held = line?.grants.get(idOf(step.me, seq));
  if (line === undefined || held === undefined) return ['absent'];
  line.grants.delete(idOf(step.me, seq));
  line.free = 1;
  if (held.token <= clearedAt(step, mark)) {
    grant(step, line);
    sweepKey(step, name, line);
    return ['absent'];
  }
  store(step, line, fresh, stale, held.token, value);
  sweepKey(step, name, line);
  return ['kept'];
}

export function put(step: Step, name: string, fresh: number, stale: number, value: string): string[] {
  let line = lineAt(step, name);
  if (line === undefined) {
    line = newLine(1, TEXT);
    step.state.lines.set(name, line);
  }
  line.grants.clear();
  line.free = 1;
  store(step, line, fresh, stale, step.nextToken(), value);
  sweepKey(step, name, line);
  return ['put'];
}

function store(step: Step, line: LineRecord, fresh: number, stale: number, version: number, value: string): void {
  const freshUntil = step.us + fresh * 1000;
  line.done = valueText(freshUntil, freshUntil + stale * 1000, version, value);
  for (const waiter of line.waiters.splice(0)) step.send(waiter.session, `${MESSAGE.askAgain} ${waiter.seq}`);
}

export function peek(step: Step, name: string, mark: string): string[] {
  const found = valueOf(lineAt(step, name), step.us, clearedAt(step, mark));
  return found === undefined ? ['none'] : ['done', found.isFresh ? '1' : '0', found.value];
}

export function remove(step: Step, name: string, mark: string): string[] {
  const line = lineAt(step, name);
  if (line === undefined) return ['removed', '0'];
  const found = valueOf(line, step.us, clearedAt(step, mark));
  line.done = undefined;
  line.grants.clear();
  line.free = 1;
  const out = ['removed', found === undefined ? '0' : '1'];
  grant(step, line);
  sweepKey(step, name, line);
  return out;
}

export function clear(step: Step, mark: string): string[] {
  const line = newLine(1, TEXT);
  line.done = String(step.nextToken());
  line.expires = step.us + MARK_US;
  step.state.lines.set(mark, line);
  return ['cleared'];
}
