// Waiting on a condition by key, after Dice & Kogan, Listings 3 to 5. A key leads to a bucket of the waiting array, and whoever
// changes what others wait for signals the key. A wake-up says no more than: look again.
//
//   word of a bucket                                                             written by
//   CHAIN      newest of those that wait, each above the one before; 0 = nobody  pushOntoChain, leaveChain: CAS; flush: exchange
//   SLOT       the same of those that wait at a location (Listing 5)             as CHAIN
//   SEQUENCE   how often the key was signalled (Listing 4)                       signalKey: add
//   UPDATES    as SEQUENCE, in 32 bits: a word to sleep on (Listing 2)           update: add
//   SLEEPERS   agents that sleep on UPDATES, or on a word whose key leads here   sleepOnGate on a word: add
//
//   gate of an element
//   FREE ▶ WATCHING              [pushOntoChain]
//   WATCHING ▶ SLEEPING            [sleepOnGate]      goes to sleep
//   WATCHING, SLEEPING ▶ WOKEN     [wakeOne]      off the chain
//   WOKEN ▶ FREE                 [moveOn]    and wakes the one below, if it was left to it
//   WATCHING, SLEEPING ▶ LEFT_CHAIN  [leaveChain]    the element is not its owner's any more
//   FREE ▶ ON_WORD ▶ FREE        [sleepOn, wakeUp]
//
// 1. An element WATCHING, SLEEPING or LEFT_CHAIN hangs in one chain: of a bucket, or of those that an agent has to wake (AGENT_TO_WAKE).
// 2. Who detaches a chain wakes its first element, and each sleeper that is woken the one below it, before it does anything else:
//    nobody walks a chain of others. Below one that is LEFT_CHAIN the one goes on that came to wake it, below one that died its recovery.
// 3. Below one that is awake, and below an async waiter, too, the one goes on that detached the chain: nobody need be there who would.
//    An agent with an async wait may be blocked by something that only the one below can end, and so may one that looks at its
//    condition; and one that has waited at a location may never come back. NEXT is 0 then: the one that is woken wakes nobody.
// 4. Who onChain an element looks at its condition again before it sleeps. Who changes the condition changes it first and
//    detaches then: so one of the two sees the other.
//
// In the paper the push is an exchange and the one below is known to its waiter alone. Here it is a CAS, and the one below is
// noted before (NEXT): so an agent may die at any moment and those below it are found. And who finds its condition true after the
// push, or gives up, leaves its element behind instead of waiting until it is off the chain.

import { discard, push } from './chain.ts';
import {
  AGENT_NOTIFY,
  AGENT_TO_WAKE,
  AT,
  BLOCK_TAG,
  CHAIN,
  COUNT,
  GRANT_SLEEPERS,
  GATE,
  HEADER_WATCHED,
  MODE,
  MODE_ASYNC,
  NEXT,
  SEM,
  SEQUENCE,
  SLEEPERS,
  SLOT,
  TAG,
  UP,
  UPDATES,
} from './layout.ts';
import { AGAIN, LEFT_CHAIN, SLEEPING, FREE, CANCELLED_LEFT_BEHIND, IDLE, ON_WORD, CANCELLED, RACED, SPENT, WAITING, NEEDS_WALK, WATCHING, WOKEN } from './states.ts';
import { add32, add64, cas32, exchange32, get32, load32, put32, put64, store32, toNumber, load64, wide } from './words.ts';

/** At which of the bucket's two chains: COUNT of an element there. */
const AT_LOCATION: i32 = 1;

/** Whether it can be relied on to wake the one below at once: it sleeps, and does nothing else when it wakes up. */
function isAsleep(element: i32, gate: i32): boolean {
  return gate === SLEEPING && get32(element + MODE) !== MODE_ASYNC;
}

function headFor(element: i32): i32 {
  return get32(element + SEM) + (get32(element + COUNT) === AT_LOCATION ? SLOT : CHAIN);
}

/** How often a key was signalled; who asks is about to look at a condition. */
export function sequence(bucket: i32): f64 {
  noteWatched();
  return toNumber(load64(bucket + SEQUENCE));
}

/** FREE to WATCHING: on top of a chain. `mode`: MODE_*. RACED: call again. */
export function pushOntoChain(element: i32, bucket: i32, location: i32, mode: i32): i32 {
  noteWatched();
  put32(element + SEM, bucket);
  put32(element + MODE, mode);
  put32(element + TAG, 0);
  put32(element + COUNT, location);
  store32(element + GATE, WATCHING);
  if (push(headFor(element), element)) return WAITING;
  store32(element + GATE, FREE);
  return RACED;
}

/** For recovery, which wakes those who wait on a condition only where there ever were any. Before the look at the condition. */
function noteWatched(): void {
  if (load32(HEADER_WATCHED) === 0) store32(HEADER_WATCHED, 1);
}

/** WATCHING to SLEEPING; the gate that is there then, or was instead. */
export function sleepOnGate(element: i32): i32 {
  const gate = cas32(element + GATE, WATCHING, SLEEPING);
  return gate === WATCHING ? SLEEPING : gate;
}

/** After WOKEN: the element is its owner's, who runs the walk: the one below is to be woken. */
export function moveOn(agent: i32, element: i32): void {
  const below = get32(element + NEXT);
  put32(element + GATE, FREE);
  lay(agent, below);
}

/**
 * Leaves the chain, for whatever reason. CANCELLED: the element is ours. CANCELLED_LEFT_BEHIND: it is not any more. RACED: call again. Run the walk
 * afterwards, which wakes all that hang there if need be.
 */
export function leaveChain(agent: i32, element: i32): i32 {
  const head = headFor(element);
  const gate = load32(element + GATE);
  if (gate === WOKEN) {
    moveOn(agent, element);
    return CANCELLED;
  }
  // Only its owner pushes an element: at the head again it is not.
  if (cas32(head, element, get32(element + NEXT)) === element) {
    put32(element + GATE, FREE);
    return CANCELLED;
  }
  if (cas32(element + GATE, gate, LEFT_CHAIN) !== gate) return RACED;
  // From here on the element is not ours. Without this the leftChain ones would pile up until somebody signals.
  flush(agent, head);
  return CANCELLED_LEFT_BEHIND;
}

/** Lays a detached chain on top of those that this agent has to wake. */
function lay(agent: i32, chain: i32): void {
  if (chain === 0) return;
  put32(chain + UP, get32(agent + AGENT_TO_WAKE));
  put32(agent + AGENT_TO_WAKE, chain);
}

function flush(agent: i32, head: i32): i32 {
  lay(agent, exchange32(head, 0));
  return get32(agent + AGENT_TO_WAKE) === 0 ? IDLE : NEEDS_WALK;
}

/** Wakes who waits in the chain. `polite`: does not write where nobody waits. IDLE, or NEEDS_WALK: run the walk. */
export function signalChain(agent: i32, bucket: i32, polite: i32): i32 {
  if (polite !== 0 && load32(bucket + CHAIN) === 0) return IDLE;
  return flush(agent, bucket + CHAIN);
}

/** As `signalChain`, and counts the signal first. */
export function signalKey(agent: i32, bucket: i32, polite: i32): i32 {
  add64(bucket + SEQUENCE, wide(1));
  return signalChain(agent, bucket, polite);
}

/** Wakes who waits at the location. IDLE, or NEEDS_WALK: run the walk. */
export function signalSlot(agent: i32, bucket: i32): i32 {
  return flush(agent, bucket + SLOT);
}

/** Counts an update, and wakes who waits for one without blocking. The word to notify; IDLE: nobody sleeps on it. */
export function update(agent: i32, bucket: i32): i32 {
  add32(bucket + UPDATES, 1);
  lay(agent, load32(bucket + CHAIN) === 0 ? 0 : exchange32(bucket + CHAIN, 0));
  return load32(bucket + SLEEPERS) === 0 ? IDLE : wordToNotify(agent, bucket + UPDATES);
}

/** Sleepers on a word are notified as if it were the gate of an element. */
export function wordToNotify(agent: i32, word: i32): i32 {
  put32(agent + AGENT_NOTIFY, word - GATE);
  return word - GATE;
}

/** Wakes everybody who waits at the bucket in any way. As `update`. */
export function wakeAllAt(agent: i32, bucket: i32): i32 {
  add64(bucket + SEQUENCE, wide(1));
  lay(agent, exchange32(bucket + SLOT, 0));
  return update(agent, bucket);
}

/** Wakes the next of those that this agent has to wake; there is one. AGAIN, or the element to notify. */
export function wakeOne(agent: i32): i32 {
  const element = get32(agent + AGENT_TO_WAKE);
  const gate = load32(element + GATE);
  const next = get32(element + NEXT);
  if (isAsleep(element, gate)) put32(agent + AGENT_TO_WAKE, get32(element + UP));
  else takeOne(agent, element);
  if (gate === LEFT_CHAIN) {
    discard(element);
    return AGAIN;
  }
  // From the CAS on the element is its owner's again.
  if (cas32(element + GATE, gate, WOKEN) !== gate) {
    put32(element + NEXT, next);
    put32(agent + AGENT_TO_WAKE, element);
    return AGAIN;
  }
  if (gate !== SLEEPING) return AGAIN;
  put32(agent + AGENT_NOTIFY, element);
  return element;
}

/** What hangs below stays to be woken, and is nobody else's to wake. */
function takeOne(agent: i32, element: i32): void {
  const next = get32(element + NEXT);
  const up = get32(element + UP);
  if (next !== 0) put32(next + UP, up);
  put32(element + NEXT, 0);
  put32(agent + AGENT_TO_WAKE, next !== 0 ? next : up);
}

/**
 * FREE to ON_WORD: counted among those that sleep on `word`; `sleepers`: where they are counted. `tag`: of the semaphore whose GRANT_SLEEPERS
 * that is, 0 = of none.
 */
export function sleepOn(element: i32, sleepers: i32, word: i32, tag: i32): void {
  noteWatched();
  put32(element + SEM, sleepers);
  put32(element + TAG, tag);
  put64(element + AT, wide(word));
  // Before the gate: with engine 'js' an agent may die in between, and one too many counted costs a notify, one too few a wake-up.
  add32(sleepers, 1);
  store32(element + GATE, ON_WORD);
}

/** ON_WORD to FREE. */
export function wakeUp(element: i32): void {
  const sleepers = get32(element + SEM);
  const tag = get32(element + TAG);
  // Not FREE before the last write: until then the element keeps the memory of the semaphore from being used again (guard.ts).
  put32(element + GATE, SPENT);
  // A semaphore that was freed does not count any more.
  if (tag === 0 || isThere(sleepers - GRANT_SLEEPERS, tag)) add32(sleepers, -1);
  store32(element + GATE, FREE);
}

/** Open or closed, but not freed. */
function isThere(block: i32, tag: i32): boolean {
  const now = load32(block + BLOCK_TAG);
  return now === tag || now === -tag;
}
