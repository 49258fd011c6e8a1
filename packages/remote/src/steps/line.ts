// A line of waiters and its permits.
//
//   message                     meaning                   sent by
//   'g sequence token asked'    granted                   grant
//   'x sequence'                closed                    close
//   'r name'                    another session waits     ask
//   'p sequence ms'             call `poke` then          grant
//   'd sequence'                acquire again             grant, and a once
//
// `MESSAGE` names their first words (remote: engine/protocol.ts).
//
// 1. free + the permits of all grants = cap, except for a signal and a rate.
// 2. Only the head of the line is granted, and only when `free` covers its permits: strict FIFO, weighted. A waiter for
//    many permits gathers them at the head, and no later waiter passes it.
// 3. A line has waiters and enough free permits for the head only while its interval is used up. Then the head's
//    session knows when to call `poke`, and each heartbeat of a waiter checks the line, too.

import { MESSAGE } from '../engine/protocol.ts';
import { charge, delayOf, isFar, isRate, weight } from './rate.ts';
import { idOf, seqOf, sessionOf, type Held, type LineRecord } from './state.ts';
import { round3, type Step } from './step.ts';

/** How many waiters a call looks at for one of another session. One that waits further back is found later. */
const LOOKED_AT = 8;

/** Whether another session waits near the head. */
export function asked({ waiters }: LineRecord, session: string): '0' | '1' {
  const most = Math.min(waiters.length, LOOKED_AT);
  for (let i = 0; i < most; i++) if (waiters[i]?.session !== session) return '1';
  return '0';
}

/** Tells the holders of idle permits that another session waits. */
export function ask(step: Step, name: string, line: LineRecord, session?: string): void {
  const holders = new Set<string>();
  for (const id of line.grants.keys()) holders.add(sessionOf(id));
  for (const holder of holders) if (holder !== session) step.send(holder, `${MESSAGE.wanted} ${name}`);
}

/**
 * Returns in how many ms the interval or the rate of the line has room for `n` permits. 0: it has now, and a take must
 * follow.
 */
export function pause(step: Step, line: LineRecord, n: number): number {
  if (line.every === 0) return 0;
  if (isRate(line)) return charge(step, line, n);
  if (line.starts < 0) {
    const oldest = line.times[line.used] ?? -Infinity;
    return step.now - oldest >= line.every ? 0 : Math.max(1, Math.ceil(oldest + line.every - step.now));
  }
  if (step.now - line.from >= line.every) {
    line.from = round3(step.now);
    line.used = 0;
    return 0;
  }
  if (line.used < line.starts) return 0;
  return Math.max(1, Math.ceil(line.from + line.every - step.now));
}

function noteStart(step: Step, line: LineRecord): void {
  if (line.starts > 0) {
    line.used++;
    return;
  }
  line.times[line.used] = round3(step.now);
  line.used = (line.used + 1) % -line.starts;
}

/** Records a grant, and returns it. The permits must be free. */
export function take(step: Step, line: LineRecord, session: string, seq: number, n: number): Held {
  let held: Held;
  if (isRate(line)) {
    held = { n, token: line.from };
  } else {
    line.free -= n;
    held = { n, token: step.nextToken() };
    if (line.every > 0) noteStart(step, line);
  }
  line.grants.set(idOf(session, seq), held);
  return held;
}

/** What the session learns of a grant: its token, or the delay of a rate's permits in ticks. */
export function shown(step: Step, line: LineRecord, { token }: Held): string {
  return String(isRate(line) ? delayOf(step, line, token) : token);
}

/**
 * Grants to the head of the line for as long as the permits last. Grants of the calling session go into `out`. The
 * other sessions get messages. If the interval stops the head, its session learns when to call again.
 */
export function grant(step: Step, line: LineRecord, out?: string[]): void {
  for (let head = line.waiters[0]; head !== undefined && line.free > 0; head = line.waiters[0]) {
    const { session, seq, n } = head;
    // A waiter for 0 permits waits for the end of a once.
    if (weight(n) > line.free || n === 0) return;
    const far = isRate(line) && isFar(step, line, n);
    const due = far ? 0 : pause(step, line, n);
    if (due > 0) return step.send(session, `${MESSAGE.pokeLater} ${seq} ${due}`);
    line.waiters.shift();
    if (far) {
      // It was not that far ahead when it came. Its session asks again, and is refused.
      step.send(session, `${MESSAGE.askAgain} ${seq}`);
      continue;
    }
    const token = shown(step, line, take(step, line, session, seq, n));
    const others = line.sticky && line.waiters.length > 0 ? asked(line, session) : '0';
    if (out !== undefined && session === step.me) out.push(String(seq), token, others);
    else step.send(session, `${MESSAGE.granted} ${seq} ${token} ${others}`);
  }
}

/** Removes a waiter. Returns whether it was in line. */
export function leave(line: LineRecord, session: string, seq: number, n: number): boolean {
  const at = line.waiters.findIndex((each) => each.session === session && each.seq === seq && each.n === n);
  if (at < 0) return false;
  line.waiters.splice(at, 1);
  return true;
}

export function waits(line: LineRecord, session: string, seq: number, n: number): boolean {
  return line.waiters.some((each) => each.session === session && each.seq === seq && each.n === n);
}

/** The number of the session's newest acquire. A repetition of an earlier one changes nothing. */
export function note(line: LineRecord, session: string, seq: number): void {
  if (seq > (line.sessions.get(session) ?? 0)) line.sessions.set(session, seq);
}

/** The grants of a line: session, number, grant. */
export function grantsOf(line: LineRecord): (readonly [session: string, seq: number, held: Held])[] {
  return [...line.grants].map(([id, held]) => [sessionOf(id), seqOf(id), held] as const);
}
