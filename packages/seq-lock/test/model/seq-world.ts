// A seq-lock in a world. Its mutex lies in the place of a lock, and its data behind everything else.

import type { Words } from '@sluice/model';
import { OfficeWorld, type OfficeSetup, type Plan, type ShadowUser } from '../../../core/test/model/office-world.ts';
import { END, TREASURE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { invariant, office } from '../../../mutex/test/model/mutex-world.ts';
import { COPIES, VALUE_SEQUENCE } from '../../src/kernel/layout.ts';
import type * as Entry from './entry.ts';

export type SeqCore = typeof Entry;
export interface SeqActor extends ShadowUser {
  readonly writers: Entry.Writers;
  readonly sequence: Entry.Sequence;
  readonly SeqSnapshot: typeof Entry.SeqSnapshot;
  readonly KeptValue: typeof Entry.KeptValue;
  /**
   * The length of the value in words. All words but the last have the number of the write, and the last has its
   * complement.
   */
  readonly length: number;
}
export type SeqBody = (actor: SeqActor) => unknown;

const DATA = END;
/** A value that one step copies. */
const SHORT = 2;
/** The number of words that a step copies here. */
const PART = 16;
/** A value that takes two steps. */
export const LONG = PART + 2;
const STRIDE = 4 * LONG;
export const SEQUENCE_AT = DATA + VALUE_SEQUENCE;
/** The copies, at the addresses that VALUE_SEQUENCE names with bit 1. */
export const copyAt = (sequence: number): number => DATA + COPIES + ((sequence & 2) === 0 ? 0 : STRIDE);
/** The tag of the block with the data. The mutex has a block of its own here, which is never freed. */
export const TAG_AT = DATA + COPIES + 2 * STRIDE;
const TAG = 9;
/** The number of the last write that has ended. */
export const ENDED = TREASURE;

/** Returns whether the first and the last word belong to one write. */
export const isWhole = (first: number, last: number): boolean => last === ~first;

/** Checks invariant 1 of sequence.ts. */
function checkWhole(words: Words, length: number): string | undefined {
  const sequence = words.get32(SEQUENCE_AT);
  const [first, second] = [words.get32(copyAt(sequence)), words.get32(copyAt(sequence) + 4 * length - 4)];
  if (isWhole(first, second) || words.get32(TAG_AT) !== TAG) return undefined;
  return `at sequence ${sequence} the copy has ${first} and ${second}`;
}

class SeqWorld extends OfficeWorld<SeqActor> {
  override readonly bytes = TAG_AT + 4;

  constructor(core: SeqCore, setup: OfficeSetup, length: number) {
    const plain = office(core.SEQ_LOCK);
    const both = (words: Words, agents: number): string | undefined =>
      invariant(words, agents) ?? checkWhole(words, length);
    super(core, { ...plain, invariant: both }, setup, (shadowUser) => {
      const { context, ref, policy } = shadowUser;
      return {
        ...shadowUser,
        length,
        SeqSnapshot: core.SeqSnapshot,
        KeptValue: core.KeptValue,
        writers: new core.Writers(ref, policy),
        sequence: new core.Sequence(context, { block: TAG_AT, tag: TAG }, DATA, { length, stride: STRIDE, part: PART }),
      };
    });
  }
}

export interface SeqPlan extends Partial<Omit<OfficeSetup & Plan<SeqActor>, 'before'>> {
  /** VALUE_SEQUENCE at the start. Default 0. */
  readonly from?: number;
  /** The length of the value in words. Default: short. */
  readonly length?: number;
}

/**
 * Makes a case of its agents and the start of the sequence. At the start the value is that of write 0, and the other
 * copy is torn.
 */
export function seqCase(
  core: SeqCore,
  name: string,
  bodies: readonly SeqBody[],
  options: Case['options'],
  plan: SeqPlan = {},
): Case {
  const { from = 0, length = SHORT, ...more } = plan;
  const before = (words: Words): void => {
    words.put32(SEQUENCE_AT, from);
    words.put32(copyAt(from) + 4 * length - 4, ~0);
    words.put32(TAG_AT, TAG);
  };
  return new SeqWorld(core, { agents: bodies.length, ...more }, length).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}
