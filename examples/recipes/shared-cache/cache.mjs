import { Region, RwLock } from 'sluice';

const SLOT = 256; // bytes for one entry: four for the key, four for the length, and the text
const PROBES = 8; // how many slots an entry may be in

/** A cache of short texts by number, in shared memory. Any number of threads read at once, one writes. */
export class SharedCache {
  #lock;
  #memory;
  #words;
  #slots;
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  /**
   * @param {RwLock} lock
   * @param {Region} memory
   */
  constructor(lock, memory) {
    this.#lock = lock;
    this.#memory = memory;
    this.#words = memory.int32;
    this.#slots = memory.byteLength / SLOT;
  }

  /** @param {number} slots */
  static create(slots) {
    return new SharedCache(RwLock.create({ name: 'cache' }), Region.create(slots * SLOT, { name: 'cache' }));
  }

  /** @param {SharedCache['handle']} handle */
  static from(handle) {
    return new SharedCache(RwLock.from(handle.lock), Region.from(handle.memory));
  }

  get handle() {
    return { lock: this.#lock.handle, memory: this.#memory.handle };
  }

  /**
   * @param {number} key from 1
   * @returns {string | undefined}
   */
  get(key) {
    return this.#lock.reader.run(() => {
      const at = this.#find(key, key);
      if (at === undefined) return undefined;
      const length = this.#words[at / 4 + 1] ?? 0;
      // a copy: the decoder takes no shared bytes
      return this.#decoder.decode(this.#memory.bytes.slice(at + 8, at + 8 + length));
    });
  }

  /**
   * @param {number} key
   * @param {string} text
   */
  set(key, text) {
    const bytes = this.#encoder.encode(text);
    if (bytes.length > SLOT - 8) return; // too long for this cache
    this.#lock.writer.run(() => {
      // its own slot, a free one, or another's
      const at = this.#find(key, key) ?? this.#find(key, 0) ?? this.#place(key, 0);
      this.#words[at / 4] = key;
      this.#words[at / 4 + 1] = bytes.length;
      this.#memory.bytes.set(bytes, at + 8);
    });
  }

  /**
   * Where the slot of a key is that has `content`.
   * @param {number} key
   * @param {number} content a key, or 0 for a free slot
   */
  #find(key, content) {
    for (let probe = 0; probe < PROBES; probe++) {
      const at = this.#place(key, probe);
      if (this.#words[at / 4] === content) return at;
    }
    return undefined;
  }

  /**
   * @param {number} key
   * @param {number} probe
   */
  #place(key, probe) {
    return (((Math.imul(key, 0x9e3779b1) >>> 0) + probe) % this.#slots) * SLOT;
  }
}
