// What a store should do, by a Map whose order is the order of use.

interface Entry {
  readonly value: Uint8Array;
  readonly expires: number;
}

export interface PlainOptions {
  readonly chunks: number;
  /** In ms; 0: none. */
  readonly ttl: number;
  readonly staleFor: number;
}

/** Returns the number of chunks of an entry: 56 bytes, 4 for each pair of code units, and the value. */
export function chunksOf(key: string, value: Uint8Array): number {
  return Math.ceil((56 + 4 * Math.ceil(key.length / 2) + value.length) / 256);
}

export class PlainLru {
  hits = 0;
  misses = 0;
  evicted = 0;
  expired = 0;
  readonly #options: PlainOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: PlainOptions) {
    this.#options = options;
  }

  get entries(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return 256 * [...this.#entries].reduce((sum, [key, { value }]) => sum + chunksOf(key, value), 0);
  }

  get keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  read(key: string, now: number): { readonly bytes: Uint8Array; readonly isStale: boolean } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || now >= entry.expires + this.#options.staleFor) {
      if (this.#entries.delete(key)) this.expired += 1;
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return { bytes: entry.value, isStale: now >= entry.expires };
  }

  put(key: string, value: Uint8Array, now: number, ttl = this.#options.ttl): void {
    if (this.#options.chunks - this.bytes / 256 < chunksOf(key, value)) this.#entries.delete(key);
    while (this.#options.chunks - this.bytes / 256 < chunksOf(key, value)) {
      const [oldest = ''] = this.#entries.keys();
      this.#entries.delete(oldest);
      this.evicted += 1;
    }
    this.#entries.delete(key);
    this.#entries.set(key, { value, expires: ttl === 0 ? Infinity : Math.ceil(now + ttl) });
  }

  delete(key: string, now: number): boolean {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    return entry !== undefined && now < entry.expires + this.#options.staleFor;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Returns a copy, for a state that an agent's death may leave. */
  copy(): PlainLru {
    const copy = new PlainLru(this.#options);
    for (const [key, entry] of this.#entries) copy.#entries.set(key, entry);
    return copy;
  }

  valueOf(key: string): Uint8Array | undefined {
    return this.#entries.get(key)?.value;
  }
}
