// @ts-check
// A producer that publishes plain words and signals; consumers that must see the last of them.
import { AutoResetEvent } from '@sluice/auto-reset-event';
import { jsAutoResetEvent } from '@sluice/auto-reset-event/js';
import { Arena, Region } from '@sluice/core';
import { jsEngine } from '@sluice/core/js';
import { OFFICE } from '@sluice/core/format';

/** @import { ArenaHandle, Engine, RegionHandle } from '@sluice/core' */
/** @import { AutoResetEventHandle } from '@sluice/auto-reset-event' */
/** @import { JobContext } from '@sluice/harness' */

/**
 * Words that are published together, each with the number of the message. They lie in two cache lines, so that one may
 * arrive late.
 */
export const PAYLOAD = [0, 1, 32, 33];
/**
 * One cache line per consumer: the newest complete message that it saw, and the number of its calls that found no
 * signal.
 */
export const SEEN = 64;
export const LOOKS = 1;
export const LINE = 32;
/** The message that ends a consumer. */
const END = -1;

/** How a consumer gets its signals. @typedef {'polling' | 'patient' | 'blocking' | 'async'} Way */
/**
 * @typedef {object} PayloadData
 * @property {ArenaHandle} arena
 * @property {Engine} engine
 * @property {AutoResetEventHandle} event
 * @property {RegionHandle} words
 * @property {Way[]} ways of the consumers
 * @property {number} rounds
 * @property {number} mostMs after which it ends all the same: where two threads share a core, a round takes a time
 *   slice
 */

/**
 * Publishes messages in bursts, so that signals collapse, and checks that a consumer saw the last message of each
 * burst.
 */
class Producer {
  sent = 0;
  /** @type {{ seen: number, looks: number }[]} */
  #consumers;

  /** @param {PayloadData} data @param {JobContext} context */
  constructor({ event, words, ways }, { random }) {
    this.random = random;
    this.event = AutoResetEvent.from(event);
    this.words = Region.from(words).int32;
    this.office = new Int32Array(event.memory.buffer, event.address + OFFICE, 1);
    this.polling = ways.includes('polling');
    this.#consumers = ways.map((_, index) => ({ seen: SEEN + index * LINE, looks: SEEN + index * LINE + LOOKS }));
  }

  burst() {
    // The consumer takes one signal while the next one is sent: the gap between them is drawn each time.
    const gap = this.random.pick([1, 5, 20, 60]);
    for (let messages = this.random.between(1, 4); messages > 0; messages--) {
      this.send((this.sent += 1));
      for (let spin = this.random.below(gap); spin > 0; spin--) Atomics.load(this.words, SEEN);
    }
  }

  /** @param {number} message */
  send(message) {
    for (const at of PAYLOAD) this.words[at] = message;
    this.event.signal();
  }

  sawLast() {
    return this.#consumers.some(({ seen }) => Atomics.load(this.words, seen) === this.sent);
  }

  /** Throws when the last message was signalled and will never be seen. */
  awaitSeen() {
    while (!this.sawLast()) {
      // In this order: a consumer that took a signal writes what it saw before it looks for the next one. No other
      // worker signals.
      if (this.#allFindNone() && !this.sawLast())
        throw new Error(`message ${this.sent} was signalled, and no consumer will see it`);
    }
  }

  #allFindNone() {
    if (!this.polling) return Atomics.load(this.office, 0) === -this.#consumers.length;
    const before = this.#consumers.map(({ looks }) => ({ looks, count: Atomics.load(this.words, looks) }));
    if (Atomics.load(this.office, 0) !== 0) return false;
    // The first of the two looks may have begun before the one above.
    while (before.some(({ looks, count }) => Atomics.load(this.words, looks) < count + 2) && !this.sawLast());
    return true;
  }
}

/** How many messages. @param {PayloadData} data @param {JobContext} context */
export function publish(data, context) {
  Arena.from(data.arena, { engine: data.engine === 'js' ? jsEngine.with(jsAutoResetEvent) : undefined });
  const producer = new Producer(data, context);
  const end = performance.now() + data.mostMs;
  for (let round = 0; round < data.rounds; round++) {
    producer.burst();
    producer.awaitSeen();
    if (round % 100 === 0 && performance.now() > end) break;
  }
  producer.send(END);
  return producer.sent;
}

/** How many signals it took. @param {PayloadData} data @param {JobContext} context */
export async function consume({ arena, engine, event: handle, words: region, ways }, { index }) {
  Arena.from(arena, { engine: engine === 'js' ? jsEngine.with(jsAutoResetEvent) : undefined });
  const event = AutoResetEvent.from(handle);
  const words = Region.from(region).int32;
  const seen = SEEN + index * LINE;
  const looks = seen + LOOKS;
  const way = ways[index];
  for (let taken = 1; ; taken++) {
    if (way === 'async') await event.waitAsync();
    else if (way === 'blocking') event.wait();
    else if (way === 'patient') while (!event.tryWait(0.02));
    else while (!event.tryWait()) Atomics.add(words, looks, 1);
    const first = words[0] ?? 0;
    // Torn: more is being published, and its signal is to come.
    if (PAYLOAD.some((at) => words[at] !== first)) continue;
    if (first === END) {
      event.signal();
      return taken;
    }
    Atomics.store(words, seen, first);
  }
}
