import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { contextOf } from '../../src/arena/arena.ts';
import { join } from '../../src/memory/lay-out-arena.ts';
import { arm } from '../../src/agent/liveness-probe.ts';
import { recover } from '../../src/recovery/claim-dead-agent.ts';
import { AgentContext } from '../../src/agent/agent-context.ts';
import type { Arena } from '../../src/index.ts';
import { AGENT_RECLAIMER } from '../../src/kernel/layout.ts';
import { setUp, wrong, type Row } from './row.ts';

/** Another agent of this thread. It lives as long as the thread, and a probe shows that if it `answers`. */
function joinAgain(arena: Arena, answers: boolean): AgentContext {
  const { words, kernel, parking, heap } = contextOf(arena);
  const { agent, id } = join(words, kernel, heap);
  const context = new AgentContext({ words, kernel, parking, heap, agent, id });
  if (answers) arm(context);
  return context;
}

const { arena: bench, takeDown } = await setUp('open');
const [living, taken, gone] = [joinAgain(bench, true), joinAgain(bench, true), joinAgain(bench, true)];
const silent = joinAgain(bench, false);
living.words.store32(taken.agent + AGENT_RECLAIMER, living.id);
recover(living, gone.agent, gone.id, true);
await takeDown();

function reclaim(written: string, id: unknown, error: string, says: string): Row {
  return { call: `arena.reclaim(${written})`, make: ({ arena }) => arena.reclaim(wrong(id)), error, says };
}

function refused(written: string, id: (arena: Arena) => number, says: string): Row {
  const make: Row['make'] = ({ arena }) => arena.reclaim(id(arena));
  return { call: `arena.reclaim(${written})`, make, error: 'MisuseError', code: 'SLUICE_MISUSE', says };
}

function watch(written: string, worker: unknown, says: string): Row {
  return { call: `arena.watch(${written})`, make: ({ arena }) => arena.watch(wrong(worker)), error: 'TypeError', says };
}

function options(written: string, given: unknown, says: string): Row {
  const make: Row['make'] = ({ arena }) => arena.watch(fakeWorker(77), wrong(given));
  return { call: `arena.watch(worker, ${written})`, make, error: 'TypeError', says };
}

function fakeWorker(threadId: number): { threadId: number; on: () => void; off: () => void } {
  return { threadId, on: () => undefined, off: () => undefined };
}

const range = (what: string): string => `agentId must be a whole number from 1 to 2147483647: received ${what}`;
const type = (what: string): string => `agentId must be a number: received ${what}`;
const noWorker = (what: string): string => `The worker must be a Worker: received ${what}`;
const { port1, port2 } = new MessageChannel();
port1.close();
port2.close();

/** Calls of `reclaim` and `watch` that throw. */
export const recoveryRows: readonly Row[] = [
  reclaim('NaN', Number.NaN, 'RangeError', range('NaN')),
  reclaim('1.5', 1.5, 'RangeError', range('1.5')),
  reclaim('0', 0, 'RangeError', range('0')),
  reclaim('-1', -1, 'RangeError', range('-1')),
  reclaim('Infinity', Infinity, 'RangeError', range('Infinity')),
  reclaim('2 ** 31', 2 ** 31, 'RangeError', range('2147483648')),
  reclaim('"3"', '3', 'TypeError', type('"3"')),
  reclaim('3n', 3n, 'TypeError', type('3n')),
  reclaim('', undefined, 'TypeError', type('undefined')),
  reclaim('null', null, 'TypeError', type('null')),
  reclaim('{}', {}, 'TypeError', type('an object of type Object')),

  refused('arena.agentId', ({ agentId }) => agentId, 'is this agent itself. Nothing was changed.'),
  refused('999', () => 999, 'There is no agent 999'),
  refused('a living agent', () => living.id, `Agent ${living.id} is alive. Nothing was changed.`),
  refused('an agent that does not answer', () => silent.id, `Agent ${silent.id} is not known to be dead`),
  refused(
    'an agent that another one recovers',
    () => taken.id,
    `Agent ${taken.id} is being recovered by another agent.`,
  ),
  refused(
    'an agent that was recovered',
    () => gone.id,
    `There is no agent ${gone.id}: it never joined, left, or was recovered`,
  ),

  watch('', undefined, noWorker('undefined')),
  watch('null', null, noWorker('null')),
  watch('"worker.js"', 'worker.js', noWorker('"worker.js"')),
  watch('{}', {}, noWorker('an object of type Object')),
  watch('() => 0', () => 0, noWorker('a function')),
  watch('Worker', Worker, noWorker('a function')),
  watch('a MessagePort', port1, noWorker('an object of type EventTarget')),
  watch('an EventEmitter', new EventEmitter(), noWorker('an object of type Object')),
  watch('a thread id', { threadId: 3 }, noWorker('an object of type Object')),

  options('null', null, 'The options must be an object: received null'),
  options('5', 5, 'The options must be an object: received 5'),
  options('{ onReclaim: 3 }', { onReclaim: 3 }, 'onReclaim must be a function: received 3'),
  options('{ onReclaim: null }', { onReclaim: null }, 'onReclaim must be a function: received null'),
  {
    call: 'arena.watch(a worker that has ended)',
    make: ({ arena }) => arena.watch(fakeWorker(-1)),
    error: 'MisuseError',
    code: 'SLUICE_MISUSE',
    says: 'The worker has ended: it cannot be watched any more. Use arena.reclaimDead().',
  },
];
