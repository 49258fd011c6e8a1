// The five locks: the words of each, and the invariants.

import type { Words } from '@sluice/model';
import * as layout from '../../../core/src/kernel/layout.ts';
import { ownerOf } from '../../../core/src/kernel/owner-word.ts';
import { HANDED } from '../../../core/src/kernel/states.ts';
import { GRANTED, ORPHANED } from '../../../core/src/kernel/states.ts';
import type { Office, ShadowUser } from '../../../core/test/model/office-world.ts';
import {
  agentAt,
  elementAt,
  entryAt,
  holdsAt,
  insideAt,
  semaphoreAddress,
  tagOf,
} from '../../../core/test/model/places.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import type { Kind } from '../../../core/src/agent/kind.ts';
import * as kinds from '../../src/kinds.ts';
import { FLAG_MCS, FLAG_RECIPROCATING } from '../../src/kernel/layout.ts';
import { lastOf } from '../../src/kernel/queued.ts';
import type { LocksKernel, LockSteps } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';
import type { Order } from './order.ts';

const { FLAG_OWNED, FLAG_RECOVERY, OWNERS_AT } = layout;
const { GATE, HEALTH, OFFICE, OWNER } = layout;

export type LocksCore = typeof Entry;

export const LOCK = semaphoreAddress(0);
export const TAG = tagOf(0);
/** The id of the owner in the word OFFICE. */
const NOTICE = 1n << 32n;
const WOKEN = 1n << 34n;
const SEGMENT = 1n << 34n;
const WAITERS = 35n;

export interface LockKind {
  readonly name: string;
  readonly office: Office;
  readonly at: (core: LocksCore, ref: ShadowUser['ref'], policy: ShadowUser['policy']) => Entry.OwnedLock;
  /** The steps by which an agent acquires a free lock, and enqueues. */
  readonly lock: (kernel: LocksKernel, agent: number) => number;
  readonly enqueueAtMutex: (kernel: LocksKernel, agent: number) => number;
  readonly order?: Order;
  /** Whether its waiters are in a queue at the lock's own words. */
  readonly queued?: boolean;
  /** Whether its owner is recorded in a ledger. */
  readonly recorded?: boolean;
}

type Step = keyof LocksKernel;
const GAINS: ReadonlySet<string> = new Set<Step>([
  ...(['lockQueued', 'enqueueAtQueuedLock', 'pollQueued', 'cancelQueuedWait'] as const),
  ...(['lockTts', 'enqueueAtTts', 'pollTts', 'cancelTtsWait'] as const),
  ...(['lockTicket', 'enqueueAtTicketLock', 'poll', 'cancelWait'] as const),
]);
const LOSES: ReadonlySet<string> = new Set<Step>([
  'unlockQueued',
  'handOverQueued',
  'unlockTts',
  'passTts',
  'unlockTicket',
  'passTicket',
]);
const RELEASES: ReadonlySet<string> = new Set<Step>(['releaseQueuedForDeadOwner', 'releaseTtsForDeadOwner', 'restore']);

const RULES: Rules = {
  gains: (step) => GAINS.has(step),
  loses: (step) => LOSES.has(step),
  releasesForDeadOwner: (step) => RELEASES.has(step),
};

/** Checks that there is at most one owner, and that the lock names it: `isOwner`. */
function checkOwner(words: Words, agents: number, isOwner: (agent: number) => boolean): string | undefined {
  const all = [...Array(agents).keys()];
  if (all.filter((agent) => words.get32(insideAt(agent)) !== 0).length > 1) return 'two agents are inside';
  const other = all.find((agent) => words.get32(holdsAt(agent)) === HOLDS && !isOwner(agent));
  return other === undefined ? undefined : `agent ${other} became the owner, but the lock does not name it`;
}

function checkWord(words: Words, agents: number): string | undefined {
  const owner = ownerOf(words.get64(LOCK + OFFICE));
  if (owner !== HANDED && (owner < 0 || owner > agents)) return `the owner is ${owner}`;
  return checkOwner(words, agents, (agent) => owner === agent + 1);
}

function checkTts(words: Words, agents: number): string | undefined {
  const office = words.get64(LOCK + OFFICE);
  const waiters = Number(office >> WAITERS);
  if (waiters < 0 || waiters > agents) return `${waiters} waiters are counted`;
  const isUnclaimed = ownerOf(office) === 0 && (office & WOKEN) === 0n;
  if (isUnclaimed && waiters > 0) return `the lock is free and ${waiters} agents wait, but none is woken`;
  return checkWord(words, agents);
}

function checkQueued(words: Words, agents: number): string | undefined {
  const office = words.get64(LOCK + OFFICE);
  const owner = ownerOf(office);
  if (owner === 0 && (lastOf(office) !== 0 || (office & SEGMENT) !== 0n)) return 'the lock is free, and an agent waits';
  for (let index = 0; index <= agents; index++) {
    const element = elementAt(index);
    if (words.get32(element + GATE) !== GRANTED || owner === HANDED) continue;
    return `agent ${words.get32(element + OWNER) - 1} was handed the lock, but the lock names ${owner}`;
  }
  return checkWord(words, agents);
}

function checkTicket(words: Words, agents: number): string | undefined {
  const owners = [...Array(agents).keys()].filter((agent) => words.get64(entryAt(agent, 0)) !== 0n);
  if (owners.length > 1) return `agents ${owners.join(' and ')} own the lock, by their ledgers`;
  return checkOwner(words, agents, (agent) => owners.includes(agent));
}

const office = (kind: Kind<LockSteps>, flags: number, invariant: Office['invariant']): Office => ({
  kind: kind.code,
  // That of the source under test, which records left places there.
  load: (context, core) =>
    context.load(Object.values((core as LocksCore).kinds).find(({ code }) => code === kind.code) ?? kind).steps,
  flags: [FLAG_OWNED | flags],
  rules: RULES,
  invariant,
  mayEndWith: (word, words) => word === NOTICE && words.load32(LOCK + HEALTH) === ORPHANED,
});

const queued = (name: string, kind: Kind<LockSteps>, flags: number, at: LockKind['at'], order: Order): LockKind => ({
  name,
  office: office(kind, (1 << OWNERS_AT) | flags, checkQueued),
  at,
  lock: (kernel, agent) => kernel.lockQueued(LOCK, TAG, agent + 1),
  enqueueAtMutex: (kernel, agent) => kernel.enqueueAtQueuedLock(LOCK, TAG, agentAt(agent), 1),
  order,
  queued: true,
});

export const TTS: LockKind = {
  name: 'tts',
  office: office(kinds.TTS, 1 << OWNERS_AT, checkTts),
  at: (core, ...at) => core.ttsLockAt(...at),
  lock: (kernel, agent) => kernel.lockTts(LOCK, TAG, agent + 1),
  enqueueAtMutex: (kernel, agent) => kernel.enqueueAtTts(LOCK, TAG, agentAt(agent), 1),
};

export const TICKET: LockKind = {
  name: 'ticket',
  office: office(kinds.TICKET, FLAG_RECOVERY, checkTicket),
  at: (core, ...at) => core.ticketLockAt(...at),
  lock: (kernel, agent) => kernel.lockTicket(LOCK, TAG, entryAt(agent, 0)),
  enqueueAtMutex: (kernel, agent) => kernel.enqueueAtTicketLock(LOCK, TAG, entryAt(agent, 0), agentAt(agent), 1),
  order: 'first',
  recorded: true,
};

export const MCS = queued('mcs', kinds.MCS, FLAG_MCS, (core, ...at) => core.mcsLockAt(...at), 'first');
export const LIFO = queued('lifo', kinds.LIFO, 0, (core, ...at) => core.lifoLockAt(...at), 'last');
export const RECIPROCATING = queued(
  'reciprocating',
  kinds.RECIPROCATING,
  FLAG_RECIPROCATING,
  (core, ...at) => core.reciprocatingLockAt(...at),
  'segments',
);
