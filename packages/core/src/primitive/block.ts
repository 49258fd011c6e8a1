// The block of a primitive: its allocation and name, its handle, its lookup by a handle, its release.

import { checkOptions, FROM_OPTIONS } from '../api/check.ts';
import { mergePolicy, type WaitingPolicy } from '../api/waiting-policy.ts';
import { printable } from '../api/wording.ts';
import { MisuseError } from '../api/errors.ts';
import { kernelModules } from '../kernel/kernel.ts';
import { BLOCK_LINE, BLOCK_TAG, KIND_SEMAPHORE, LAYOUT_VERSION } from '../kernel/layout.ts';
import { TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind, LineSteps, LoadedKind } from '../agent/kind.ts';
import { reserveStack } from '../platform/reserve-stack.ts';
import { wrongInstance } from '../api/wrong-instance.ts';
import { Arena, contextOf } from '../arena/arena.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { checkAddress, type PrimitiveHandle } from '../memory/handle.ts';
import { encodeName, readName, writeName } from '../memory/name.ts';
import { endWaitsOfFreed } from '../agent/end-waits.ts';
import { drawTag, handleTag, tagOf } from '../memory/tags.ts';
import type { AgentContext } from '../agent/agent-context.ts';
import type { BlockAddress } from '../kernel/addresses.ts';
import { asBlock } from '../kernel/addresses.ts';

/** Checks that a constructor got a `BlockRef`: its TypeScript declaration is private, but JavaScript can call it. */
export function checkOpened<Found extends object>(
  ref: Found | null | undefined,
  className: string,
): asserts ref is Found {
  if (typeof ref === 'object' && ref !== null) return;
  throw new MisuseError(`Use ${className}.create or ${className}.from: the constructor is not for callers.`);
}

/**
 * Returns the arena of an `arena` option. Throws `TypeError`, or `MisuseError` for an arena of another copy of the
 * package.
 */
export function chosenArena(arena: Arena | undefined): Arena {
  if (arena === undefined) return Arena.default();
  if (arena instanceof Arena) return arena;
  throw wrongInstance('The arena', 'Arena', 'sluice.arena', arena);
}

/** The options that every primitive's `create` accepts. */
export interface BlockOptions {
  /** The arena that contains the primitive. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** The policy of this agent's waits for the primitive. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

/** A block that no other agent can find yet. */
export interface NewBlock {
  readonly context: AgentContext;
  readonly words: Words;
  readonly address: BlockAddress;
  readonly tag: number;
  /** The steps of the kind's waiters. `undefined`: those of the core's semaphore. */
  readonly line: LineSteps | undefined;
}

/** The initial content of a block, and what it needs. */
export interface BlockTraits {
  /** The size in bytes. Default: one line. */
  readonly bytes?: number;
  /** The number of ledger entries that an agent has for the block. Default: 0. */
  readonly entries?: number;
  /** Writes the words that do not start as 0. Must not fail. */
  readonly fill?: (block: NewBlock) => void;
}

/**
 * Creates a primitive of that kind, and returns it with this agent's policy. `undefined` is the kind of the core's
 * semaphore. The caller has checked the names of the options. Throws as `create` does, with nothing created.
 */
export function createBlock(
  kind: Kind<never> | undefined,
  options: BlockOptions,
  { bytes = BLOCK_LINE, entries = 0, fill = nothing }: BlockTraits = {},
): [BlockRef, WaitingPolicy] {
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  // Before the block is allocated: the agent may lack the kind's kernel or room for an entry, and filling the block must
  // not fail or stop half-way.
  const line = kind === undefined ? undefined : loadKind(context, kind).steps;
  if (entries > 0) context.reserveEntry(entries);
  const code = kind?.code ?? KIND_SEMAPHORE;
  const ref = createPrimitive(arena, code, bytes, options.name, (words, address, tag) => {
    fill({ context, words, address, tag, line });
  });
  return [ref, policy];
}

function nothing(): void {
  // All words of the block start as 0.
}

/**
 * Allocates a primitive. `fill` writes its words and acquires its other resources, before another agent can find it.
 * Throws `ArenaFullError`, with nothing allocated.
 */
export function createPrimitive(
  arena: Arena,
  kind: number,
  bytes: number,
  name: string | undefined,
  fill: (words: Words, address: BlockAddress, tag: number) => void,
): BlockRef {
  // No other call can free the block until the instance is complete.
  reserveStack();
  const label = encodeName(name);
  const context = contextOf(arena);
  const { words, kernel } = context;
  const address = context.heap.allocate(context, bytes);
  const { tag, era } = drawTag(words);
  try {
    writeName(words, address, label);
    fill(words, address, tag);
  } catch (failure) {
    context.heap.free(context, address);
    throw failure;
  }
  kernel.publish(address, kind, tag, era);
  return { arena, context, address, tag, name, isNew: true };
}

/**
 * Opens a primitive of that kind, and returns it with this agent's policy. Throws `HandleError`, and the errors of the
 * options.
 */
export function openWithPolicy<Steps extends object>(
  kind: Kind<Steps>,
  handle: PrimitiveHandle<string>,
  options: { readonly policy?: Partial<WaitingPolicy> | undefined },
): [BlockRef, WaitingPolicy] {
  checkOptions(options, FROM_OPTIONS);
  const ref = openPrimitive(handle, kind);
  return [ref, mergePolicy(ref.arena.policy, options.policy)];
}

/** Finds the primitive of a handle of that kind, and loads the kind. Throws `HandleError`. */
export function openPrimitive<Steps extends object>(handle: PrimitiveHandle<string>, kind: Kind<Steps>): BlockRef {
  const ref = findPrimitive(handle, kind.name, kind.code);
  loadKind(ref.context, kind);
  return ref;
}

/**
 * Loads a kind, and finishes the recoveries that other agents left to agents with that kind. Throws `MisuseError` if
 * the agent has no kernel for it.
 */
export function loadKind<Steps extends object>(context: AgentContext, kind: Kind<Steps>): LoadedKind<Steps> {
  const loaded = context.load(kind);
  context.finishPending();
  return loaded;
}

/** Finds the primitive of a handle. Throws `HandleError`. */
export function findPrimitive(handle: PrimitiveHandle<string>, kindName: string, kind: number): BlockRef {
  const arena = Arena.ofHandle(kindName, handle);
  const context = contextOf(arena);
  checkAddress(handle, kind, context.words);
  return {
    arena,
    context,
    address: asBlock(handle.address),
    tag: tagOf(handle),
    name: readName(context.words, handle.address),
    isNew: false,
  };
}

/** Returns a handle. `kernel` is the id of the kind's kernel. */
export function handleTo<Kind extends string>(
  kind: Kind,
  { arena, context, address, tag }: BlockRef,
  kernel?: string,
): PrimitiveHandle<Kind> {
  const { memory, arena: id } = arena.handle;
  return Object.freeze({
    kind,
    layout: LAYOUT_VERSION,
    arena: id,
    memory,
    address,
    tag: handleTag(context.words, address, tag),
    modules: kernelModules(kernel),
  });
}

/** Throws if the primitive was freed, or if this agent has left its arena. A closed primitive passes. */
export function checkNotFreed(ref: BlockRef, what: string): void {
  const { context, address, tag } = ref;
  context.checkNotLeft();
  const now = context.words.load32(address + BLOCK_TAG);
  if (now !== tag && now !== -tag) throw freed(ref, what);
}

/**
 * Takes the block out of use and ends the waits there. Its memory goes back to the heap, at once or when the last agent
 * has finished its steps there. `lines` is the number of its lines that are semaphores.
 */
export function freePrimitive(ref: BlockRef, what: string, lines = 1): void {
  const { context, address, tag } = ref;
  const { kernel, agent } = context;
  if (kernel.retire(agent, address, tag) !== TAKEN && kernel.retire(agent, address, -tag) !== TAKEN)
    throw freed(ref, what);
  endWaitsOfFreed(context, agent, address, lines);
  context.heap.retire(context, address);
}

function freed({ name = '' }: BlockRef, what: string): MisuseError {
  return new MisuseError(`${what}${name === '' ? '' : ` '${printable(name)}'`} was freed and cannot be used any more.`);
}
