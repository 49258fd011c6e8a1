// The place in the program's sources from which a call came.

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

const UNKNOWN: Place = { file: '', line: 0, within: '' };

/** Returns the places of the callers of the caller, the innermost first, without those of this library. */
export function callers(): readonly Place[] {
  const limits = Error as unknown as StackLimit;
  const before = limits.stackTraceLimit;
  let stack: string;
  try {
    // Not an assignment, which throws where the program has frozen Error.
    if (before !== undefined) Reflect.set(limits, 'stackTraceLimit', FRAMES);
    stack = stackText();
  } finally {
    if (before !== undefined) Reflect.set(limits, 'stackTraceLimit', before);
  }
  const text = stack;
  const known = read.get(text);
  if (known !== undefined) return known;
  const places = programFrames(text);
  if (read.size >= MOST_READ) read.clear();
  read.set(text, places);
  return places;
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

/** Returns the place from which the program called this library, or a place without a file if it cannot be told. */
export function callerPlace(): Place {
  return callers()[0] ?? UNKNOWN;
}

/** Whether the place is in the file of this module: the library and the program were bundled to one file. */
export function isInOwnFile({ file }: Place): boolean {
  ownFile ??=
    stackText()
      .split('\n')
      .map(placeIn)
      .find((place) => place !== undefined)?.file ?? '';
  return file === ownFile;
}

let ownFile: string | undefined;

/** The places of the stacks that were read last. Most calls of a program come from few places. */
const read = new Map<string, readonly Place[]>();
const MOST_READ = 512;

/** Returns the frames of a stack that are not of this library, the innermost first. */
export function programFrames(stack: string): Place[] {
  const frames = stack
    .split('\n')
    .map(placeIn)
    .filter((place) => place !== undefined);
  const own = frames[0]?.file;
  const first = frames.findIndex(({ file }) => file !== own && !isOurs(file));
  // In a bundle the program and this library are one file: then every frame counts.
  // If this library calls a function of the program, the callers of that function include frames of this library.
  const from = first < 0 ? frames : frames.slice(first);
  return from.filter(({ file }) => !isOurs(file) && !file.startsWith('node:'));
}

function placeIn(text: string): Place | undefined {
  const found = FRAME.exec(text);
  if (found === null) return undefined;
  const [, within, file, line, , otherWithin, otherFile, otherLine] = found;
  const path = file ?? otherFile ?? '';
  if (path === 'native' || path.startsWith('<')) return undefined;
  return { file: path, line: Number(line ?? otherLine), within: within ?? otherWithin ?? '' };
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
  const path = stack
    .split('\n')
    .map(placeIn)
    .find((place) => place !== undefined)
    ?.file.replaceAll('\\', '/');
  const folder = /^(.*\/packages\/)inspect\/(?:src|dist)\//.exec(path ?? '')?.[1];
  return folder === undefined ? [] : [folder];
}

/** The last part of the path and the line, or the whole path if `whole`. */
export function placeText({ file, line }: Place, whole = false): string {
  if (file === '') return 'unknown place';
  return `${whole ? file : (/[^\\/]*$/.exec(file)?.[0] ?? file)}:${line}`;
}
