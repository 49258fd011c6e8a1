// A world with a buffer, its invariants, and the checks at the end, or when all remaining agents wait.

import { asBlock } from '@sluice/core/format';
import { AsyncWaits } from '@sluice/core/internal';
import { DIED, STUCK, type Context, type Words } from '@sluice/model';
import type { BlockRef } from '../../../core/src/arena/block-ref.ts';
import type { AgentContext, LineState } from '../../../core/src/agent/agent-context.ts';
import { GRANT, OWNER, TICKET } from '../../../core/src/kernel/layout.ts';
import { label } from '../../../core/test/model/label.ts';
import {
  OfficeWorld,
  type Loading,
  type Office,
  type OfficeSetup,
  type ShadowUser,
  type Plan,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import type { BufferKernel } from '../../src/sides/kinds.ts';
import type { OpenedBuffer } from '../../src/buffer/create-and-open.ts';
import * as places from './buffer-places.ts';
import { watchLines, watchWords, waitersOf, type Watched } from './buffer-witness.ts';
import { Cells, producerOf } from './cells.ts';
import type * as Entry from './entry.ts';

const { BUFFER, BYTES, isClosed, lineAt, positionOf, SIDES, headsAt, unitsOf, valueAt } = places;
const NAMES = ['producers', 'consumers'] as const;

export type BufferCore = typeof Entry;
export type Values = Entry.BoundedBuffer<number>;
export interface BufferActor extends ShadowUser {
  readonly buffer: Values;
}
export type BufferBody = (actor: BufferActor) => unknown;

export interface BufferSetup extends OfficeSetup, Loading {
  /** The units that the ring has room for. */
  readonly room: number;
  /** Whether steps write and read the values. */
  readonly isInt32?: boolean;
  /** Whether it may be closed. */
  readonly closes?: boolean;
  /** Whether to record since when each agent waits. Not if words that only one agent uses are scheduling points. */
  readonly watched?: boolean;
  /** Whether to compare the order of service. Default: if more than two agents arrive. */
  readonly inOrder?: boolean;
  /** Whether agents may wait forever if nothing is there for them. */
  readonly mayWait?: boolean;
}
export type More = Partial<BufferSetup & Plan<BufferActor>>;

export class BufferWorld extends OfficeWorld<BufferActor> {
  readonly buffer: Required<Omit<BufferSetup, 'without'>>;
  /** Words that never change, by address. */
  readonly #constants = new Map<number, number>();
  #mayCrash: readonly number[] = [];
  readonly #watched: Watched;
  readonly #views = new WeakMap<Context, Words>();

  constructor(core: BufferCore, setup: BufferSetup, Store = Cells) {
    const {
      agents,
      room,
      isInt32 = false,
      closes = false,
      watched = true,
      inOrder = agents > 2,
      mayWait = false,
    } = setup;
    super(core, officeOf(core), { start: 0n, ...setup }, (shadowUser) => {
      const make = (): Values =>
        bufferOf(core, shadowUser, new Store(shadowUser.ctx, shadowUser.context.words, room, isInt32));
      if (setup.without?.includes(shadowUser.ctx.index) !== true) return { ...shadowUser, buffer: make() };
      return {
        ...shadowUser,
        // A buffer loads its kind when it is created.
        get buffer() {
          return make();
        },
      };
    });
    this.buffer = { ...this.setup, room, isInt32, closes, watched, inOrder, mayWait };
    this.#watched = { agents, origin: places.startOf(this.setup.start), line: watched, inOrder };
  }

  override case(plan: Plan<BufferActor>): Case {
    const stuck = (words: Words, outcomes: readonly unknown[]): string | undefined => this.#checkStuck(words, outcomes);
    const { scenario, options } = super.case(this.buffer.mayWait ? { stuck, ...plan } : plan);
    this.#mayCrash = plan.mayCrash ?? [];
    const others = scenario.agents.slice(0, -1);
    const observer = { name: 'observer', body: ({ words }: Context) => lookAround(words) };
    const agents = [...others, observer];
    const named = (at: number): string => places.labelOf(at) ?? label(at, this.setup);
    return { scenario: { ...scenario, bytes: BYTES, agents, label: named }, options };
  }

  override shadowUser(ctx: Context): ShadowUser {
    const shadowUser = super.shadowUser(ctx);
    return { ...shadowUser, ref: { ...shadowUser.ref, address: asBlock(BUFFER), tag: places.tagOfLine(0) } };
  }

  override context(ctx: Context): AgentContext {
    const context = super.context(ctx);
    // As in the real code, all instances of a line are the same.
    const lineStates = new Map<number, LineState>();
    context.lineState = (block, tag, { recorded, ordered = true, line = context.semaphoreLine }) => {
      const entry = recorded ? entryAt(ctx.index, block === lineAt(0) ? 0 : 1) : 0;
      const lineState = lineStates.get(block) ?? { block, tag, entry, asyncWaits: new AsyncWaits(), ordered, line };
      lineStates.set(block, lineState);
      return lineState;
    };
    return context;
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { agents, start } = this.setup;
    places.layOutBuffer(words, this.buffer.room, agents, start);
    const crashing = this.#mayCrash;
    const survivors = [...Array(agents).keys()].filter((agent) => !crashing.includes(agent));
    for (const at of places.stillWordsOf(this.buffer.closes, survivors)) this.#constants.set(at, words.get32(at));
  }

  protected override words(ctx: Context): Words {
    const known = this.#views.get(ctx);
    if (known !== undefined) return known;
    const plain = super.words(ctx);
    const constants = this.#constants;
    const still: Words = {
      ...plain,
      load32: (address) => constants.get(address) ?? plain.load32(address),
      get32: (address) => constants.get(address) ?? plain.get32(address),
    };
    const view = watchWords(still, ctx, this.#watched);
    this.#views.set(ctx, view);
    return view;
  }

  protected override kernel(ctx: Context): BufferKernel {
    const kernel = this.core.referenceKernel(this.words(ctx)) as BufferKernel;
    return this.buffer.watched ? watchLines(kernel, ctx, this.#watched) : kernel;
  }

  /** Checks that no agent is inside, that no permit is lost, and that the pushed values that were not taken are there. */
  override checkRest(words: Words): string | undefined {
    return this.checkLocks(words) ?? this.#checkHeads(words) ?? this.checkValues(words) ?? this.checkGates(words);
  }

  protected checkLocks(words: Words): string | undefined {
    for (const side of SIDES) {
      const office = places.officeOf(words, side);
      if (office !== 0n) return `the lock of the ${NAMES[side]} ends with 0x${BigInt.asUintN(64, office).toString(16)}`;
    }
    return undefined;
  }

  #checkHeads(words: Words): string | undefined {
    if (isClosed(words)) return undefined;
    for (const side of SIDES) {
      // The witness does not see the steps of the outsider at the end. A recovered agent is in no queue.
      const [first] = waitersOf(words, this.setup.agents, lineAt(side)).filter(
        (agent) => words.get32(agentAt(agent) + OWNER) !== 0,
      );
      const [grant, ticket] = [words.get64(lineAt(side) + GRANT), words.get64(lineAt(side) + TICKET)];
      const [isHead, name] = [headsAt(words, side), NAMES[side]];
      const has = first !== undefined && words.get64(entryAt(first, side)) === 1n;
      const free = BigInt.asIntN(64, grant - (first === undefined ? ticket : words.get64(places.endAt(first)) - 1n));
      if (has ? isHead !== 1 : BigInt(isHead) !== free) return `${isHead} heads of the ${name}, ${free} permits free`;
      for (let agent = 0; agent < this.setup.agents; agent++) {
        const held = words.get64(entryAt(agent, side));
        if (held !== 0n && !(has && agent === first)) return `agent ${agent} ends with ${held} permits of the ${name}`;
      }
    }
    return undefined;
  }

  /** Checks that the values of each producer are in its order. The ring has the last ones. */
  protected checkValues(words: Words): string | undefined {
    const { origin } = this.#watched;
    const [put, taken] = SIDES.map((side) => places.ahead(positionOf(words, side), origin));
    if (put === undefined || taken === undefined) return 'there are no positions';
    const last = new Map<number, number>();
    let room = 0;
    for (let n = 0; n < put.values; n++) {
      const value = words.get32(valueAt(n));
      const before = last.get(producerOf(value)) ?? 0;
      if (value % 10 <= before) return `value ${value} came after ${before} of the same producer`;
      last.set(producerOf(value), value % 10);
      const cell = words.get32(places.cellAt(Number(BigInt.asIntN(32, origin)) + room, this.buffer.room));
      if (n >= taken.values && cell !== value) return `${cell} is left in the ring instead of ${value}`;
      room += Math.floor(value / 100);
    }
    return room === put.room ? undefined : `${put.room} units of room were used for values of ${room}`;
  }

  /** Checks that agents that wait forever are queued, and that nothing is there for them. */
  #checkStuck(words: Words, outcomes: readonly unknown[]): string | undefined {
    const rest = this.checkLocks(words) ?? this.#checkHeads(words) ?? this.checkValues(words);
    const dead = rest ?? this.checkDead(words, outcomes);
    if (dead !== undefined) return dead;
    const inLine = SIDES.map((side) => waitersOf(words, this.setup.agents, lineAt(side)));
    for (const [side, [first]] of inLine.entries()) {
      if (first === undefined) continue;
      if (outcomes[first] === DIED) return `agent ${first} is dead, but still queued`;
      const name = NAMES[side] ?? '';
      if (isClosed(words)) return `the buffer is closed, but one of the ${name} waits`;
      const [there, wants] = [unitsOf(words, side), words.get32(places.wantsAt(first))];
      if (there >= wants)
        return `${there} units are there, but agent ${first}, first of the ${name}, sleeps for ${wants}`;
    }
    const stuck = outcomes.flatMap((outcome, agent) => (outcome === STUCK ? [agent] : []));
    const reason = stuck.some((agent) => inLine.flat().includes(agent));
    return reason ? undefined : `agents ${stuck.join(' and ')} wait, but are in no queue`;
  }
}

function bufferOf(core: BufferCore, { ref, policy }: ShadowUser, store: Cells): Values {
  // The constructor is internal, and takes the results of `create`.
  const Constructor = core.BoundedBuffer as unknown as new (
    found: Omit<OpenedBuffer, 'place'> & { ref: BlockRef },
  ) => Values;
  return new Constructor({ ref, store, codec: 'model', policy });
}

const officeOf = ({ BUFFER: kind }: BufferCore): Office => ({
  kind: 0,
  load: (context) => context.load(kind).steps,
  flags: [],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: checkUnits,
});

/** Checks that a side has at most one head, and that the ring holds no more than its room. */
function checkUnits(words: Words): string | undefined {
  lookAround(words);
  const room = places.roomOf(words);
  const [free, values] = [unitsOf(words, 0), unitsOf(words, 1)];
  if (free < 0 || free > room) return `${free} of ${room} units of room are free`;
  if (values < 0 || values > room - free) return `${values} values are in ${room - free} units of room`;
  const wrong = SIDES.find((side) => headsAt(words, side) < 0 || headsAt(words, side) > 1);
  return wrong === undefined ? undefined : `${headsAt(words, wrong)} heads of the ${NAMES[wrong]}`;
}

const looked = new WeakSet<Words>();

/** As the world's words, these count as shared from the start. */
function lookAround(words: Words): void {
  if (looked.has(words)) return;
  looked.add(words);
  for (let at = 0; at < BYTES; at += 4) words.get32(at);
}
