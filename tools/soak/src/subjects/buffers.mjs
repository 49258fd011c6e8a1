// @ts-check
// Buffers, of each codec, and values in place. The ledger knows which values went in and came out.
import { BoundedBuffer, BufferReader, BufferWriter } from '@sluice/bounded-buffer';
import { hasCode } from '@sluice/core';
import { AT_ONCE, endLife, forgetRepeats, Ledger, lostOf } from './ledger.mjs';
import { ownWords, unless } from './subject.mjs';
import { Random } from '../../../harness/src/random.mjs';

/** @import { Arena } from '@sluice/core' */
/** @import { BoundedBufferHandle } from '@sluice/bounded-buffer' */
/** @import { Place, Subject } from './subject.mjs' */

/**
 * `decode` gets what `onTake` gets: a number, or the bytes. @typedef {{ encode: (packed: number) => unknown, decode:
 * (value: never) => number }} Form
 */

/** @param {number} packed */
const paddingOf = (packed) => (packed * 7) & 63;

/** @type {Readonly<Record<'int32' | 'float64' | 'bytes' | 'json', Form>>} */
const FORMS = {
  int32: { encode: (packed) => packed, decode: (/** @type {number} */ value) => value },
  float64: { encode: (packed) => packed + 0.5, decode: (/** @type {number} */ value) => value - 0.5 },
  json: {
    encode: (packed) => ({ packed, padding: 'x'.repeat(paddingOf(packed)) }),
    decode: (/** @type {Uint8Array} */ bytes) => {
      const { packed, padding } = /** @type {{ packed: number, padding: string }} */ (
        JSON.parse(Buffer.from(bytes).toString())
      );
      return padding.length === paddingOf(packed) ? packed : NaN;
    },
  },
  bytes: {
    encode: (packed) => writeBytes(new Uint8Array(4 + paddingOf(packed)), packed),
    decode: (/** @type {Uint8Array} */ bytes) => {
      const packed = new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
      const isWhole =
        bytes.length === 4 + paddingOf(packed) && bytes.subarray(4).every((byte) => byte === (packed & 255));
      return isWhole ? packed : NaN;
    },
  },
};

/** @param {Uint8Array} bytes @param {number} packed */
function writeBytes(bytes, packed) {
  bytes.fill(packed & 255, 4);
  new DataView(bytes.buffer, bytes.byteOffset).setInt32(0, packed, true);
  return bytes;
}

/** @typedef {Pick<Place, 'random' | 'count' | 'mayBlock' | 'slot' | 'name'>} Visiting */

class BufferVisitor {
  #buffer;
  #place;
  #form;
  #ledger;
  #writer;
  #reader;
  #isBytes;

  /**
   * @param {BoundedBufferHandle} handle @param {keyof typeof FORMS} codec @param {boolean} inPlace @param {Visiting}
   *   place
   * @param {Int32Array} own
   */
  constructor(handle, codec, inPlace, place, own) {
    const form = FORMS[codec];
    const ledger = new Ledger(own, place.slot, place.name);
    const onTake = (/** @type {unknown} */ value) => ledger.take(form.decode(/** @type {never} */ (value)));
    this.#form = form;
    this.#ledger = ledger;
    this.#place = place;
    this.#isBytes = codec === 'bytes';
    this.#buffer = /** @type {BoundedBuffer<unknown>} */ (BoundedBuffer.from(handle, inPlace ? {} : { onTake }));
    const same = /** @type {BoundedBuffer<number>} */ (/** @type {unknown} */ (this.#buffer));
    this.#writer = inPlace ? new BufferWriter(same) : undefined;
    this.#reader = inPlace ? new BufferReader(same) : undefined;
  }

  async visit() {
    const { random, mayBlock } = this.#place;
    const isProducer = random.chance(50);
    try {
      if (!mayBlock) this.exchange();
      else if (this.#writer !== undefined)
        for (let left = random.between(1, 20); left > 0; left--)
          this.#inPlace(isProducer, random.chance(20) ? Infinity : random.below(10) / 10);
      else if (random.chance(65)) for (let left = random.between(1, 20); left > 0; left--) this.#block(isProducer);
      else await (isProducer ? this.#pushAsync() : this.#popAsync());
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      this.#place.count('closed');
    }
    this.#ledger.check();
  }

  /** Takes a value and puts one in, if both can be done at once: waits on either side end. */
  exchange() {
    if (this.#reader !== undefined) this.#read(0);
    else this.#buffer.tryPop();
    if (this.#writer !== undefined) this.#write(0);
    else this.#ledger.went(Number(this.#buffer.tryPush(this.#values(1)[0])));
    this.#ledger.check();
  }

  /** Takes all that is there. */
  drain() {
    if (this.#reader !== undefined) while (this.#read(0));
    else while (this.#buffer.tryPop() !== undefined);
    this.#ledger.check();
  }

  /** @param {number} n */
  #values(n) {
    return this.#ledger.next(n).map((packed) => this.#form.encode(packed));
  }

  /** @param {boolean} isProducer */
  #block(isProducer) {
    const { random, count } = this.#place;
    count('operations');
    const timeoutMs = random.chance(30) ? 1 : random.below(5) / 10;
    const n = random.between(1, AT_ONCE);
    const way = random.below(8);
    if (isProducer) {
      if (way === 0) this.#buffer.push(this.#values(1)[0]);
      const went =
        way === 0
          ? 1
          : way === 1
            ? this.#buffer.pushMany(this.#values(n))
            : way < 4
              ? this.#buffer.tryPushMany(this.#values(n), timeoutMs)
              : Number(this.#buffer.tryPush(this.#values(1)[0], timeoutMs));
      this.#ledger.went(went);
      if (went === 0) count('timeouts');
    } else if (way === 0) this.#buffer.pop();
    else if (way === 1) this.#buffer.popMany(n);
    else if (
      way < 4 ? this.#buffer.tryPopMany(n, timeoutMs).length === 0 : this.#buffer.tryPop(timeoutMs) === undefined
    )
      count('timeouts');
    this.#ledger.check();
  }

  async #pushAsync() {
    const { random, count } = this.#place;
    for (let left = random.between(1, 10); left > 0; left--) {
      count('operations');
      const controller = new AbortController();
      const options = random.chance(20)
        ? {}
        : random.chance(50)
          ? { timeout: random.below(3) }
          : { signal: controller.signal };
      const pushed = random.chance(50)
        ? this.#buffer.pushAsync(this.#values(1)[0], options).then(() => 1)
        : this.#buffer.pushManyAsync(this.#values(AT_ONCE), options);
      setImmediate(() => controller.abort(ABORT));
      this.#ledger.went(await pushed.catch((/** @type {unknown} */ failure) => this.#gaveUp(failure)));
    }
  }

  async #popAsync() {
    const { random, count } = this.#place;
    const controller = new AbortController();
    const options = () =>
      random.chance(4) ? {} : random.chance(20) ? { timeout: random.below(3) } : { signal: controller.signal };
    const waits = Array.from({ length: random.chance(10) ? 400 : random.between(1, 40) }, () => {
      count('operations');
      const popped = random.chance(70)
        ? this.#buffer.popAsync(options())
        : this.#buffer.popManyAsync(AT_ONCE, options());
      return popped.catch((/** @type {unknown} */ failure) => void this.#gaveUp(failure));
    });
    // All of them: while one is pending, this thread may not block at the buffer. A failure of one ends the visit
    // afterwards.
    const ended = Promise.allSettled(waits);
    if (random.chance(40)) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(ABORT);
    await ended;
    await Promise.all(waits);
  }

  /** @param {unknown} failure */
  #gaveUp(failure) {
    const { count } = this.#place;
    if (failure === ABORT) count('aborts');
    else if (hasCode(failure, 'SLUICE_TIMEOUT')) count('timeouts');
    else throw failure;
    return 0;
  }

  /** @param {boolean} isProducer @param {number} timeoutMs */
  #inPlace(isProducer, timeoutMs) {
    this.#place.count('operations');
    if (!(isProducer ? this.#write(timeoutMs) : this.#read(timeoutMs))) this.#place.count('timeouts');
    this.#ledger.check();
  }

  /** @param {number} timeoutMs */
  #write(timeoutMs) {
    const { random } = this.#place;
    const writer = /** @type {BufferWriter<number>} */ (this.#writer);
    const values = this.#ledger.next(AT_ONCE);
    const [first = 0] = values;
    const view = writer.claim(this.#isBytes ? 4 + paddingOf(first) : random.between(1, AT_ONCE), timeoutMs);
    if (view === undefined) return false;
    if (random.chance(5)) writer.cancel();
    else if (this.#isBytes) {
      writeBytes(/** @type {Uint8Array} */ (/** @type {unknown} */ (view)), first);
      writer.commit();
      this.#ledger.went(1);
    } else {
      const n = random.between(1, view.length);
      for (let i = 0; i < n; i++) view[i] = /** @type {number} */ (this.#form.encode(values[i] ?? 0));
      writer.commit(n);
      this.#ledger.went(n);
    }
    return true;
  }

  /** @param {number} timeoutMs */
  #read(timeoutMs) {
    const { random } = this.#place;
    const reader = /** @type {BufferReader<number>} */ (this.#reader);
    const view = this.#isBytes ? reader.peek(1, timeoutMs) : reader.peek(AT_ONCE, timeoutMs);
    if (view === undefined) return false;
    if (random.chance(5)) reader.cancel();
    else if (this.#isBytes) {
      this.#ledger.take(this.#form.decode(/** @type {never} */ (view)));
      reader.consume();
    } else {
      const n = random.between(1, view.length);
      for (let i = 0; i < n; i++) this.#ledger.take(this.#form.decode(/** @type {never} */ (view[i])));
      reader.consume(n);
    }
    return true;
  }
}

/** The reason of all aborts. */
const ABORT = new Error('aborted by the soak');

/** Where the main thread takes and puts in. @param {string} name @returns {Visiting} */
const mainPlace = (name) => ({ random: new Random(0), count: () => undefined, mayBlock: false, name, slot: 0 });

/**
 * @param {string} name
 * @param {keyof typeof FORMS} codec
 * @param {object} options
 * @param {(arena: Arena) => { handle: unknown, inspect(): { producers: readonly unknown[], consumers: readonly
 *   unknown[], length: number, closed: boolean }, readonly pushed: number, readonly popped: number, close(): void,
 *   free(): void }} options.create
 * @param {boolean} [options.inPlace]
 * @returns {Subject}
 */
function buffer(name, codec, { create, inPlace = false }) {
  return {
    name,
    group: 'bounded-buffer',
    covers: inPlace ? ['BoundedBuffer', 'BufferWriter', 'BufferReader'] : ['BoundedBuffer'],
    blocks: 1,
    create: (arena, own) => {
      own.fill(0);
      const made = create(arena);
      const main = new BufferVisitor(
        /** @type {BoundedBufferHandle} */ (made.handle),
        codec,
        inPlace,
        mainPlace(name),
        own,
      );
      return {
        handles: made.handle,
        tick: () => {
          if (!made.inspect().closed) main.exchange();
        },
        onDeath: (slot) => endLife(own, slot),
        problems: () => {
          main.drain();
          forgetRepeats(own);
          const { producers, consumers, length } = made.inspect();
          const lost = lostOf(own);
          const { pushed, popped } = made;
          return unless(
            name,
            { producers, consumers, length, lost, left: (pushed - popped) | 0 },
            { producers: [], consumers: [], length: 0, lost: [], left: 0 },
          );
        },
        close: () => made.close(),
        free: () => made.free(),
      };
    },
    open: (handles, place) =>
      new BufferVisitor(
        /** @type {BoundedBufferHandle} */ (handles),
        codec,
        inPlace,
        place,
        ownWords(place.words, place.subject),
      ),
  };
}

/** @type {readonly Subject[]} */
export const BUFFERS = [
  buffer('BoundedBuffer(int32)', 'int32', {
    create: (arena) => BoundedBuffer.create({ arena, name: 'BoundedBuffer(int32)', codec: 'int32', capacity: 4 }),
  }),
  buffer('BoundedBuffer(float64)', 'float64', {
    create: (arena) => BoundedBuffer.create({ arena, name: 'BoundedBuffer(float64)', codec: 'float64', capacity: 32 }),
  }),
  buffer('BoundedBuffer(bytes)', 'bytes', {
    create: (arena) => BoundedBuffer.create({ arena, name: 'BoundedBuffer(bytes)', codec: 'bytes', ringBytes: 512 }),
  }),
  buffer('BoundedBuffer(json)', 'json', {
    create: (arena) => BoundedBuffer.create({ arena, name: 'BoundedBuffer(json)', ringBytes: 1024 }),
  }),
  buffer('int32 in place', 'int32', {
    inPlace: true,
    create: (arena) => BoundedBuffer.create({ arena, name: 'int32 in place', codec: 'int32', capacity: 16 }),
  }),
  buffer('bytes in place', 'bytes', {
    inPlace: true,
    create: (arena) => BoundedBuffer.create({ arena, name: 'bytes in place', codec: 'bytes', ringBytes: 512 }),
  }),
];
