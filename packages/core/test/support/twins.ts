// Two equal memories, one for the WebAssembly kernel and one for the reference kernel. Every call goes to both. After
// the call, both must have returned the same result and hold the same bytes.

import { Buffer } from 'node:buffer';
import { found, heapStart } from '../../src/memory/lay-out-arena.ts';
import { wasmKernel, wasmSteps, type KernelSource } from '../../src/kernel/kernel.ts';
import { referenceKernel } from '../../src/kernel/reference.ts';
import { AtomicWords, boundTo } from '../../src/kernel/words.ts';

/** A step of the core, or of a kind whose kernel the twins have. */
export type Step = string;

/** The kernel of a kind, and its steps in TypeScript. */
export interface TwinKind {
  readonly source: KernelSource<never>;
  readonly steps: object;
}

type AnyStep = (...args: number[]) => unknown;

/** Calls shown when the twins differ. */
const SHOWN_CALLS = 30;

export class Twins {
  readonly words: AtomicWords;
  /** The number of compared bytes: all that are in use. */
  readonly #used: number;
  readonly #bytes: readonly [Buffer, Buffer];
  readonly #kernels: readonly [object, object];
  readonly #twinWords: AtomicWords;
  #recent: string[] = [];

  /** `kinds`: the kinds whose steps exist in addition to the core's. */
  constructor(used: number, kinds: readonly TwinKind[] = []) {
    const [wasm, plain] = [newMemory(used), newMemory(used)];
    this.words = new AtomicWords(wasm);
    this.#twinWords = new AtomicWords(plain);
    this.#used = used;
    this.#bytes = [Buffer.from(wasm.buffer, 0, used), Buffer.from(plain.buffer, 0, used)];
    this.#kernels = [
      Object.assign(wasmKernel(wasm), ...kinds.map(({ source }) => wasmSteps(source, wasm) as object)) as object,
      Object.assign(
        referenceKernel(this.#twinWords),
        ...kinds.map(({ steps }) => boundTo(this.#twinWords, steps)),
      ) as object,
    ];
  }

  /** Begins again with an empty arena of that many buckets. Returns the address of its heap. */
  reset(buckets: number): number {
    for (const bytes of this.#bytes) bytes.fill(0);
    for (const words of [this.words, this.#twinWords]) found(words, buckets, 1, 0x51n);
    this.#recent = [];
    return heapStart(buckets, 1);
  }

  put32(address: number, value: number): void {
    this.words.put32(address, value);
    this.#twinWords.put32(address, value);
  }

  put64(address: number, value: bigint): void {
    this.words.put64(address, value);
    this.#twinWords.put64(address, value);
  }

  /** Zeroes bytes, as the heap does with a block that is used again. */
  clear(address: number, length: number): void {
    for (const bytes of this.#bytes) bytes.fill(0, address, address + length);
  }

  /** Performs one step on both. Throws if they differ in the result or in any byte. */
  call(step: Step, ...args: number[]): number {
    const [wasm, plain] = this.#kernels.map((kernel) => stepOf(kernel, step)(...args));
    this.#recent.push(`${step}(${args.join(', ')}) -> ${String(wasm)}`);
    if (this.#recent.length > 2 * SHOWN_CALLS) this.#recent = this.#recent.slice(-SHOWN_CALLS);
    if (!Object.is(wasm, plain)) this.#differ(`wasm returned ${String(wasm)}, the reference ${String(plain)}`);
    if (this.#bytes[0].compare(this.#bytes[1]) !== 0) this.#differ(this.#firstDifference());
    return typeof wasm === 'number' ? wasm : 0;
  }

  #firstDifference(): string {
    for (let at = 0; at < this.#used; at += 4) {
      const [wasm, plain] = [this.words.load32(at), this.#twinWords.load32(at)];
      if (wasm !== plain) return `the word at ${at} is ${wasm} under wasm, ${plain} under the reference`;
    }
    return 'bytes differ';
  }

  #differ(how: string): never {
    this.fail(`The kernels differ: ${how}`);
  }

  /** Throws an error that names the difference and the last calls. */
  fail(how: string): never {
    throw new Error(`${how}\nafter ${this.#recent.slice(-SHOWN_CALLS).join('\n      ')}`);
  }
}

function stepOf(kernel: object, step: Step): AnyStep {
  const found = (kernel as Readonly<Record<Step, AnyStep>>)[step];
  if (found === undefined) throw new Error(`No kernel has a step ${step}.`);
  return found;
}

function newMemory(bytes: number): WebAssembly.Memory {
  const pages = Math.ceil(bytes / 65_536);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}
