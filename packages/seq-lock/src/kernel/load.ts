// Steps of a seq-lock's readers: they copy words of the value to AGENT_SCRATCH, memory of the reader's own agent. Each
// word is loaded atomically.
//
// An atomic load is an instruction here, and a call in TypeScript. docs/decisions/107 has the figures.

import { AGENT_SCRATCH, RACED, TAKEN, type AgentAddress } from '@sluice/core/format';
import { load32, put32 } from '@sluice/core/kernel';
import { COPIES, ERA, LINE, REUSED, VALUE_SEQUENCE } from './layout.ts';

function copyTwo(from: i32, to: i32): void {
  put32(to, load32(from));
  put32(to + 4, load32(from + 4));
}

function copyFour(from: i32, to: i32): void {
  copyTwo(from, to);
  copyTwo(from + 8, to + 8);
}

/**
 * Copies two, four, eight or sixteen words: at least `words`, if `words` is at most LINE. A copy of the value has whole
 * cache lines, so it has that many words.
 */
function copyLine(from: i32, to: i32, words: i32): void {
  copyTwo(from, to);
  if (words > 2) {
    copyTwo(from + 8, to + 8);
    if (words > 4) {
      copyFour(from + 16, to + 16);
      if (words > 8) {
        copyFour(from + 32, to + 32);
        copyFour(from + 48, to + 48);
      }
    }
  }
}

/** Copies at least `words` words. `words` is at most PART, that is, four lines. */
function copyWords(from: i32, to: i32, words: i32): void {
  copyLine(from, to, words);
  if (words > LINE) {
    copyLine(from + 4 * LINE, to + 4 * LINE, words - LINE);
    if (words > 2 * LINE) {
      copyLine(from + 8 * LINE, to + 8 * LINE, words - 2 * LINE);
      if (words > 3 * LINE) copyLine(from + 12 * LINE, to + 12 * LINE, words - 3 * LINE);
    }
  }
}

/**
 * Reads a whole value of at most PART words into the scratch, and returns its version, 31 bits. Returns RACED if two
 * writes were faster, or if the block no longer has that tag.
 */
export function loadShortSeqLock(tagAt: i32, tag: i32, data: i32, stride: i32, words: i32, agent: AgentAddress): i32 {
  // Check the tag before the first store to the scratch: once this thread has left the arena, another agent may have
  // the record. Then `tag` is not the block's tag.
  if (load32(tagAt) !== tag) return RACED;
  const era = load32(data + ERA);
  const version = load32(data + VALUE_SEQUENCE) & -2;
  copyWords(data + COPIES + ((version & 2) === 0 ? 0 : stride), agent + AGENT_SCRATCH, words);
  // Load these after all words of the value. Pairs with the first store of `replace`. The tag comes last: a block that
  // still has it was not freed before.
  const passed = (load32(data + VALUE_SEQUENCE) - version) | 0;
  if (passed < 0 || passed >= REUSED) return RACED;
  return load32(data + ERA) === era && load32(tagAt) === tag ? version >>> 1 : RACED;
}

/**
 * Copies at most PART words of a longer value. Only after the last part can the reader tell whether the words are
 * valid. Returns RACED if the block no longer has that tag.
 */
export function loadSeqLockPart(
  tagAt: i32,
  tag: i32,
  from: i32,
  words: i32,
  agent: AgentAddress,
): typeof TAKEN | typeof RACED {
  if (load32(tagAt) !== tag) return RACED;
  copyWords(from, agent + AGENT_SCRATCH, words);
  return TAKEN;
}

/**
 * Returns 0 if the newest value is still of this version, which was read after ERA had been `era`. Otherwise the value
 * may be of a newer version, or the block no longer has that tag.
 *
 * It has no branch, because the call is the larger part of its cost. It has five arguments, because V8 passes no more
 * of them in registers.
 */
export function seqLockChangedSince(tagAt: i32, tag: i32, data: i32, version: i32, era: i32): i32 {
  const passed = (load32(data + VALUE_SEQUENCE) >>> 1) ^ version;
  // Load ERA after VALUE_SEQUENCE: if VALUE_SEQUENCE has wrapped since, ERA increased before that. The tag comes last,
  // as in `loadShortSeqLock`.
  return passed | (load32(data + ERA) ^ era) | (load32(tagAt) ^ tag);
}
