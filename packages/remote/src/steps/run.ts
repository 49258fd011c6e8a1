// Runs one step on a state. Given the same state, time and words, it does the same: the journal of the local engine has
// the words of its steps, and the next server runs them again.

import type { OperationName } from '../engine/protocol.ts';
import * as keyRates from './key-rate-operations.ts';
import * as lines from './line-operations.ts';
import * as rounds from './round-operations.ts';
import * as sessions from './session-operations.ts';
import { drop, endedAt, reap } from './sessions.ts';
import type { ShapedStep } from './shape.ts';
import type { State } from './state.ts';
import { Step, type Send } from './step.ts';
import * as values from './value-operations.ts';

/** The version of the steps and of what they store. Processes with different versions cannot share a namespace. */
export const FORMAT = '1';

/** Operations that change nothing, unless a lease has ended or the clock moves. */
const READS: readonly string[] = [
  'look',
  'sessions',
  'keys',
  'gauge',
  'survey',
  'mine',
  'peek',
] satisfies OperationName[];
/** Operations that take something. A server without space for its journal refuses them. */
const TAKES: readonly string[] = [
  'attach',
  'acquire',
  'attempt',
  'arrive',
  'resize',
  'fetch',
  'keep',
  'put',
  'clear',
  'draw',
] satisfies OperationName[];

type Operation = (step: Step, ...args: never[]) => string[];

/** `cancel` and `beat` look at the kind of the primitive, so they are not here. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map<OperationName, Operation>([
  ['acquire', lines.acquire],
  ['attempt', lines.attempt],
  ['finish', lines.finish],
  ['release', lines.release],
  ['poke', lines.poke],
  ['settle', lines.settle],
  ['unbook', lines.unbook],
  ['post', lines.post],
  ['resize', lines.resize],
  ['close', lines.close],
  ['fetch', values.fetch],
  ['keep', values.keep],
  ['put', values.put],
  ['peek', values.peek],
  ['remove', values.remove],
  ['clear', values.clear],
  ['draw', keyRates.draw],
  ['adjust', keyRates.adjust],
  ['arrive', rounds.arrive],
  ['change', rounds.change],
  ['tripped', rounds.tripped],
  ['recall', rounds.recall],
  ['cancel', cancel],
  ['look', sessions.look],
  ['sessions', sessions.all],
  ['keys', sessions.keys],
  ['gauge', sessions.gauge],
  ['survey', sessions.survey],
  ['detach', sessions.detach],
]);

function cancel(step: Step, name: string, seq: number, n: number): string[] {
  return rounds.cancel(step, name, seq, n) ?? lines.cancel(step, name, seq, n);
}

/** Whether the step may need more memory or more of the journal than it frees. */
export function takesMore({ operation, args }: ShapedStep): boolean {
  if (operation === 'adjust') return Number(args[1]) > 0 || Number(args[2]) > 0;
  if (operation === 'finish') return args[2] !== '';
  if (operation === 'change')
    return args[2] === 'claim' || args[2] === 'register' || (args[2] === 'count' && Number(args[3]) > 0);
  return TAKES.includes(operation);
}

/** Whether the next step looks for sessions whose leases have ended. It may then end up to four of them. */
export function endsSessions(state: State, us: number): boolean {
  return new Step(state, () => undefined, us, '').now >= state.first;
}

/** The sessions whose leases have ended. */
export function endedSessions(state: State, us: number): string[] {
  return endedAt(state, new Step(state, () => undefined, us, '').now);
}

/** Whether running the step leaves the state as it is. */
export function onlyReads(state: State, us: number, { operation }: ShapedStep): boolean {
  const step = new Step(state, () => undefined, us, '');
  return READS.includes(operation) && !step.moves && step.now < state.first;
}

/** Runs a step. `owner`: the process that sent it. */
export function runStep(state: State, send: Send, us: number, owner: string, shaped: ShapedStep): string[] {
  const { operation, session: me, generation, args } = shaped;
  const step = new Step(state, send, us, me);
  reap(step);
  if (operation === 'attach') {
    const [lease = 0, label = '', , former] = args;
    const earlier = former === undefined ? undefined : String(former);
    return ended(step, sessions.attach(step, owner, generation, Number(lease), String(label), earlier));
  }
  const session = state.sessions.get(me);
  if (session === undefined || session.generation === 0 || session.owner !== owner) return ['gone'];
  if (generation < session.generation) return ['stale'];
  session.generation = generation;
  if (operation === 'beat') return ended(step, sessions.beat(step, session, Number(args[0]), entriesOf(args)));
  if (operation === 'mine') return ended(step, sessions.mine(step, session));
  const run = OPERATIONS.get(operation);
  if (run === undefined) return ['gone'];
  return ended(step, run(step, ...(args as never[])));
}

function ended(step: Step, reply: string[]): string[] {
  step.end();
  return reply;
}

function entriesOf(args: readonly (string | number)[]): sessions.Entry[] {
  const entries: sessions.Entry[] = [];
  for (let at = 1; at + 3 < args.length; at += 4) {
    const [name, seq, n, holds] = args.slice(at, at + 4);
    entries.push([String(name), Number(seq), Number(n), Number(holds)]);
  }
  return entries;
}

/** Ends the sessions of a process that is dead. */
export function dropOwner(state: State, send: Send, us: number, owner: string): void {
  const step = new Step(state, send, us, '');
  for (const [id, session] of [...state.sessions]) if (session.owner === owner) drop(step, id);
  step.end();
}

/** A server has begun: every lease is whole again, because no heartbeat could be answered in between. */
export function renewAll(state: State, us: number): void {
  const step = new Step(state, () => undefined, us, '');
  for (const session of state.sessions.values()) session.ends = Math.max(session.ends, step.now + session.lease);
  step.end();
}
