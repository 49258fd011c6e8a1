// The place in the program's sources from which a call came.

import { CALLED } from '../tables/place-table.ts';

/** The frames of a stack that are read: those of this library, and at least one of the program. */
const FRAMES = 48;

interface StackLimit {
  stackTraceLimit?: number;
}

/** "at run (file:///app/worker.mjs:12:5)", "at file:///app/worker.mjs:12:5", "run@http://host/worker.mjs:12:5". */
const FRAME = /^\s*at (?:async )?(?:(.*?) \()?(?:file:\/\/)?(.+?):(\d+):(\d+)\)?$|^(?:(.*?)@)(.+?):(\d+):(\d+)$/;

/** A place: a file, a line, and the function if the platform tells it. */
export interface Place {
  readonly file: string;
  readonly line: number;
  /** '' at the top of a module, or if the platform does not tell it. */
  readonly within: string;
}

/**
 * Returns the places of the callers of the caller, the innermost first, without those of this library. `called`: the
 * object of this library whose function the program has called. `isNew`: it is being created.
 */
export function callers(called?: object, isNew = false): readonly Place[] {
  return withLimit(FRAMES, () => {
    const text = stackText();
    const known = read.get(text);
    if (known !== undefined) return known;
    const places = isInstalled() ? programFrames(text) : framesBelow(called, isNew);
    if (read.size >= MOST_READ) read.clear();
    read.set(text, places);
    return places;
  });
}

function withLimit<Result>(limit: number, act: () => Result): Result {
  const limits = Error as unknown as StackLimit;
  const before = limits.stackTraceLimit;
  try {
    // Not an assignment, which throws where the program has frozen Error.
    if (before !== undefined) Reflect.set(limits, 'stackTraceLimit', limit);
    return act();
  } finally {
    if (before !== undefined) Reflect.set(limits, 'stackTraceLimit', before);
  }
}

/** Returns the stack of the caller. '': a program's `Error.prepareStackTrace` throws, or returns something else. */
function stackText(): string {
  try {
    const stack: unknown = new Error().stack;
    return typeof stack === 'string' ? stack : '';
  } catch {
    return '';
  }
}

/** The places of the stacks that were read last. Most calls of a program come from few places. */
const read = new Map<string, readonly Place[]>();
const MOST_READ = 512;

/** Returns the frames of a stack that are not of this library, the innermost first. */
export function programFrames(stack: string): Place[] {
  const frames = framesIn(stack);
  const own = frames[0]?.file;
  return frames.filter(({ file }) => file !== own && !isOurs(file) && !file.startsWith('node:'));
}

function framesIn(stack: string): Place[] {
  return stack
    .split('\n')
    .map(placeIn)
    .filter((place) => place !== undefined);
}

function placeIn(text: string): Place | undefined {
  const found = FRAME.exec(text);
  if (found === null) return undefined;
  const [, within, file, line, , otherWithin, otherFile, otherLine] = found;
  // A module that was loaded with a query, as a runner of tests does.
  const path = (file ?? otherFile ?? '').replace(/\?[^/\\]*$/, '');
  if (path === 'native' || path.startsWith('<')) return undefined;
  // V8 puts the receiver's class before the name of a function, also where there is none of interest.
  const name = (within ?? otherWithin ?? '').replace(/^Object\./, '');
  return { file: path, line: Number(line ?? otherLine), within: name };
}

/** Whether the file of this module is known to be one of this library, as it is unless a program was bundled with it. */
function isInstalled(): boolean {
  installed ??= isOurs(framesIn(stackText())[0]?.file ?? '');
  return installed;
}

let installed: boolean | undefined;

interface CapturesStacks {
  captureStackTrace?(target: object, above: Callable): void;
}

type Callable = (...args: never[]) => unknown;

/** Files of a bundle that have been seen to have functions of this library. */
const ownFiles = new Set<string>();

/**
 * Returns the frames of the program in a bundle, whose files do not tell which functions are of this library. The engine
 * can leave out the frames above a function. So the frames above the outermost function of `called` are of this library,
 * and so are the files of these frames, unless the program's function is in one of them, too.
 */
function framesBelow(called: object | undefined, isNew: boolean): Place[] {
  const engine = Error as unknown as CapturesStacks;
  return withLimit(Infinity, () => {
    const all = framesIn(stackText());
    const functions = engine.captureStackTrace === undefined || called === undefined ? [] : functionsOf(called, isNew);
    /** The frames of functions of `called`, by their positions. */
    const own = new Set<number>();
    /** Those of the functions that a tool has put in place of methods (follow.ts). */
    const wrappers = new Set<number>();
    const ownFunctions = called === undefined ? [] : functionsIn(called);
    for (const each of functions) {
      const target: { stack?: unknown } = {};
      engine.captureStackTrace?.(target, each);
      const below = typeof target.stack === 'string' ? framesIn(target.stack).length : 0;
      const at = all.length - below - 1;
      if (below > 0) own.add(at);
      if (below > 0 && ownFunctions.includes(each)) wrappers.add(at);
    }
    return programFramesIn(all, own, isNew, ownFiles, wrappers);
  });
}

/**
 * Returns the frames of the program. `own`: the positions of frames that are known to be of this library. `wrappers`:
 * those of them that a program calls instead of a method, with functions of the tools between the two. Adds to `files`
 * those that have functions of this library.
 */
export function programFramesIn(
  all: readonly Place[],
  own: ReadonlySet<number>,
  isNew: boolean,
  files: Set<string>,
  wrappers: ReadonlySet<number> = new Set(),
): Place[] {
  if (own.size === 0)
    return all
      .slice(1)
      .filter(({ file }) => file !== all[0]?.file && !files.has(file) && !isOurs(file) && !file.startsWith('node:'));
  // The program calls a function of the library from within another one, but not from within one that creates.
  const innermost = isNew ? Math.max(...own) : Math.min(...own);
  let first = outermost(innermost, own, wrappers) + 1;
  while (own.has(first)) first += 1;
  for (const { file } of all.slice(0, first)) files.add(file);
  const rest = all.filter((place, at) => at >= first && !own.has(at) && !place.file.startsWith('node:'));
  return files.has(rest[0]?.file ?? '') ? rest : rest.filter(({ file }) => !files.has(file));
}

/** Returns the position of the wrapper around the method at `method`, or around the method that calls that wrapper. */
function outermost(method: number, own: ReadonlySet<number>, wrappers: ReadonlySet<number>): number {
  const around = Math.min(...[...wrappers].filter((position) => position >= method));
  if (around === Infinity) return method;
  return own.has(around + 1) ? outermost(around + 1, own, wrappers) : around;
}

/** Returns the functions of an object and of its classes, or those that create one: constructors and static functions. */
function functionsOf(called: object, isNew: boolean): Callable[] {
  const all = new Set<Callable>();
  const addAll = (of: object): void => {
    for (const each of functionsIn(of)) all.add(each);
  };
  let each: object | null = called;
  while (each !== null && each !== Object.prototype) {
    if (!isNew) addAll(each);
    const { constructor } = each as { readonly constructor: unknown };
    if (isNew && typeof constructor === 'function') {
      all.add(constructor as Callable);
      addAll(constructor);
    }
    each = Object.getPrototypeOf(each) as object | null;
  }
  return [...all];
}

function functionsIn(object: object): Callable[] {
  const descriptors = Object.values(Object.getOwnPropertyDescriptors(object)) as { readonly value?: unknown }[];
  return descriptors.flatMap(({ value }) => (typeof value === 'function' ? [value as Callable] : []));
}

/** Whether a file is one of this library: below the folder of its packages, as installed or as a checkout. */
function isOurs(file: string): boolean {
  const path = file.replaceAll('\\', '/');
  return (
    /\/node_modules\/(?:@sluice\/[^/]+|sluice)\/dist\//.test(path) || ownFolder().some((folder) => isIn(path, folder))
  );
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[^/]+\/(?:src|dist)\//.test(path.slice(folder.length));
}

let folders: readonly string[] | undefined;

/** The folder that has the packages of a checkout, if this file is in one. */
function ownFolder(): readonly string[] {
  folders ??= ownFolders(stackText());
  return folders;
}

function ownFolders(stack: string): string[] {
  const path = framesIn(stack)[0]?.file.replaceAll('\\', '/');
  const folder = /^(.*\/packages\/)inspect\/(?:src|dist)\//.exec(path ?? '')?.[1];
  return folder === undefined ? [] : [folder];
}

/** "resize (worker.mjs:12), called at worker.mjs:30", with the innermost `most` callers. '': no caller is known. */
export function placesText(stack: readonly Place[], most: number): string {
  return stack
    .slice(0, most)
    .map((place) => (place.within === '' ? placeText(place) : `${place.within} (${placeText(place)})`))
    .join(CALLED);
}

/** The last part of the path and the line, or the whole path if `whole`. */
export function placeText({ file, line }: Place, whole = false): string {
  if (file === '') return 'unknown place';
  return `${whole ? file : (/[^\\/]*$/.exec(file)?.[0] ?? file)}:${line}`;
}
