// The shape of a step: which operations there are, and what arguments they take. A step of another shape changes
// nothing.

import type { OperationName } from '../engine/protocol.ts';
import { hasChange } from './round-operations.ts';
import { isJob, isLineText, isOfKey, isRound, isValue } from './primitives.ts';

/** A step with its arguments as the operations take them. */
export interface ShapedStep {
  readonly operation: string;
  readonly session: string;
  readonly generation: number;
  readonly args: readonly (string | number)[];
}

const MAX_NAME = 65_536;
const MAX_LABEL = 10_000;
const MAX_PERMITS = 2 ** 31 - 1;
/** Permits of a booking. */
const MAX_WEIGHT = 2 ** 32;
const MAX_WORDS = 4096;

/** What an argument may be. */
interface Kind {
  readonly isNumber: boolean;
  readonly fits: (word: string) => boolean;
}

const WHOLE = /^(0|[1-9]\d{0,15})$/;

const words = (fits: (word: string) => boolean): Kind => ({ isNumber: false, fits });
const whole = (min: number, max: number): Kind => ({
  isNumber: true,
  fits: (word) => WHOLE.test(word) && Number(word) >= min && Number(word) <= max,
});

const bit = whole(0, 1);
const seq = whole(1, Number.MAX_SAFE_INTEGER);
const count = whole(0, Number.MAX_SAFE_INTEGER);
const size = whole(0, MAX_PERMITS);
const permits = whole(1, MAX_WEIGHT);
const weights = whole(0, MAX_WEIGHT);
const text = words(() => true);
const label = words((word) => word.length <= MAX_LABEL);
const signed: Kind = {
  isNumber: true,
  fits: (word) => WHOLE.test(word.replace(/^-/, '')) && Math.abs(Number(word)) <= MAX_PERMITS,
};
const id = words((word) => /^[\w-]{1,64}$/.test(word));
const lease = whole(1, 2 ** 31);

const isName = (word: string): boolean => word.length <= MAX_NAME && /^[a-z]:./s.test(word);
const isOnce = (name: string): boolean => name.startsWith('o:') || name.startsWith('z:') || isJob(name);
const isMark = (name: string): boolean => name.startsWith('x:');
const isLine = (name: string): boolean => !isRound(name) && !isOnce(name) && !isValue(name) && !isMark(name);
const line = words((word) => isName(word) && isLine(word));
const once = words((word) => isName(word) && isOnce(word));
const anyLine = words((word) => isName(word) && !isRound(word) && !isMark(word));
const value = words((word) => isName(word) && isValue(word));
const mark = words((word) => isName(word) && isMark(word));
const keyRate = words((word) => isName(word) && word.startsWith('y:'));
const rounds = words((word) => isName(word) && isRound(word));
const any = words(isName);
const field = words((word) => word === 'count' || word === 'parties');
const prefix = words((word) => word.length <= MAX_NAME && isOfKey(word));
const made = words(isLineText);
const rate = words((word) => /^0 [1-9]\d* 0 1$/.test(word) && isLineText(word));
/** The time in ms for which a value is fresh, or stale. */
const time = whole(0, 2_592_000_000);
const block: Kind = { isNumber: true, fits: (word) => word === '-1' || time.fits(word) };

interface Shape {
  readonly args: readonly Kind[];
  /** What may follow, again and again. */
  readonly more?: readonly Kind[];
  /** An argument that may be missing. */
  readonly last?: Kind;
}

const SHAPES: ReadonlyMap<string, Shape> = new Map<OperationName, Shape>([
  ['attach', { args: [lease, label, text], last: id }],
  ['beat', { args: [lease], more: [any, seq, weights, bit] }],
  ['mine', { args: [] }],
  ['detach', { args: [] }],
  ['acquire', { args: [line, seq, permits, bit, size, made] }],
  ['attempt', { args: [once, seq, bit, bit, size, made], last: count }],
  ['finish', { args: [once, seq, text] }],
  ['release', { args: [anyLine, seq, size] }],
  ['cancel', { args: [any, seq, weights] }],
  ['poke', { args: [line] }],
  ['settle', { args: [line], more: [seq] }],
  ['unbook', { args: [line, seq] }],
  ['post', { args: [line, seq, whole(1, MAX_PERMITS), size, made] }],
  ['resize', { args: [line, size, size, made] }],
  ['close', { args: [anyLine, size, made] }],
  ['look', { args: [anyLine] }],
  ['sessions', { args: [] }],
  ['keys', { args: [prefix] }],
  ['gauge', { args: [line] }],
  ['survey', { args: [rounds] }],
  ['fetch', { args: [value, seq, whole(1, 1), bit, bit, mark] }],
  ['keep', { args: [value, seq, mark, time, time, text] }],
  ['put', { args: [value, time, time, text] }],
  ['peek', { args: [value, mark] }],
  ['remove', { args: [value, mark] }],
  ['clear', { args: [mark] }],
  ['draw', { args: [keyRate, whole(1, MAX_PERMITS), size, rate] }],
  ['adjust', { args: [keyRate, signed, block, size, rate] }],
  ['arrive', { args: [rounds, seq, bit, bit, count, size, field], more: [seq] }],
  ['change', { args: [rounds, seq, text, signed, bit, size, field] }],
  ['tripped', { args: [rounds, seq, bit] }],
  ['recall', { args: [rounds, count] }],
]);

/** Checks words that came from another process. Returns the step, or the reason why they are none. */
export function shapeOf(all: readonly unknown[]): ShapedStep | string {
  if (all.length < 3 || all.length > MAX_WORDS) return `a step has 3 to ${MAX_WORDS} words, not ${all.length}`;
  const given: string[] = [];
  for (const word of all) {
    if (typeof word !== 'string' && typeof word !== 'number') return `a word of a step is text, not ${typeof word}`;
    given.push(String(word));
  }
  const [operation = '', session = '', generation = '', ...rest] = given;
  const shape = SHAPES.get(operation);
  if (shape === undefined) return `there is no operation '${operation.slice(0, 40)}'`;
  if (!id.fits(session)) return 'the name of the session is wrong';
  if (!seq.fits(generation)) return 'the generation is wrong';
  const { args, more = [], last } = shape;
  const extra = rest.length - args.length;
  const fits =
    extra === 0 || (last !== undefined && extra === 1) || (more.length > 0 && extra > 0 && extra % more.length === 0);
  if (!fits) return `the operation '${operation}' does not take ${rest.length} arguments`;
  const shaped: (string | number)[] = [];
  for (const [i, word] of rest.entries()) {
    const kind = args[i] ?? last ?? more[(i - args.length) % more.length];
    if (kind === undefined || !kind.fits(word)) return `argument ${i + 1} of the operation '${operation}' is wrong`;
    shaped.push(kind.isNumber ? Number(word) : word);
  }
  if (operation === 'change' && !hasChange(String(rest[0]), String(rest[2]))) return 'there is no such change';
  return { operation, session, generation: Number(generation), args: shaped };
}
