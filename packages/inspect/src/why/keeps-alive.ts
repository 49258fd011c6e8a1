// What keeps the event loop of the calling thread alive, as lines of text.

import process from 'node:process';
import type { OwnInspector } from './own-inspector.ts';

/** The most timers and handles that are described. */
const MAX_RESOURCES = 8;

/** What Node.js shows of the objects behind active resources. These are internals, so every field may be missing. */
interface Handle {
  readonly constructor?: { readonly name?: string };
  readonly fd?: unknown;
  readonly pid?: unknown;
  readonly spawnfile?: unknown;
  readonly remoteAddress?: unknown;
  readonly remotePort?: unknown;
  readonly path?: unknown;
  address?(): unknown;
}

interface Timer {
  readonly _idleTimeout?: unknown;
  readonly _repeat?: unknown;
  readonly _onTimeout?: unknown;
  readonly _destroyed?: unknown;
  hasRef?(): boolean;
}

/** Resources that the lines of handles describe. */
const DESCRIBED = /^(?:TCPServerWrap|TCPSocketWrap|ProcessWrap|PipeServerWrap|UDPWrap)$/;
/** The standard streams. */
const STREAMS = /^(?:PipeWrap|TTYWrap)$/;

/** Returns lines such as "timer of 60.0 s, again and again: callback at file:///app.mjs:12". */
export function keepsAlive(inspector: OwnInspector | undefined): string[] {
  const resources = process.getActiveResourcesInfo();
  const handles = activeHandles();
  const timers = resources.includes('Timeout') ? timersOf(inspector) : [];
  const others = new Map<string, number>();
  const isDescribed = (name: string): boolean =>
    STREAMS.test(name) || (name === 'Timeout' ? timers.length > 0 : DESCRIBED.test(name) && handles.length > 0);
  for (const name of resources) if (!isDescribed(name)) others.set(name, (others.get(name) ?? 0) + 1);
  return [...timers, ...counted(handles), ...[...others].map(([name, count]) => `${count} ${name}`)];
}

/** Returns each line once, with the number of times that it occurs. */
function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  const all = [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
  return all.length <= MAX_RESOURCES ? all : [...all.slice(0, MAX_RESOURCES), `and ${all.length - MAX_RESOURCES} more`];
}

function activeHandles(): string[] {
  const { _getActiveHandles: get } = process as unknown as { _getActiveHandles?: () => readonly Handle[] };
  try {
    return (get?.call(process) ?? []).flatMap((handle) => describeHandle(handle));
  } catch {
    return [];
  }
}

function describeHandle(handle: Handle): string[] {
  const name = handle.constructor?.name ?? '';
  // Standard streams keep no process alive, except stdin while the process reads it.
  if (handle.fd === 1 || handle.fd === 2) return [];
  if (handle.fd === 0) return ['stdin is read'];
  switch (name) {
    case 'Server':
      return [`server that listens on ${placeOf(handle.address?.())}`];
    case 'Socket': {
      const { remoteAddress, remotePort } = handle;
      if (typeof remoteAddress !== 'string') return ['pipe or socket'];
      return [`connection to ${remoteAddress}:${String(remotePort)}`];
    }
    case 'ChildProcess':
      return [`child process ${String(handle.pid)} (${String(handle.spawnfile)})`];
    case 'MessagePort':
    case 'Worker':
      return [];
    default:
      return name === '' ? [] : [name];
  }
}

function placeOf(address: unknown): string {
  if (typeof address === 'string') return address;
  const { address: host, port } = (address ?? {}) as { readonly address?: unknown; readonly port?: unknown };
  return typeof host === 'string' ? `${host.includes(':') ? `[${host}]` : host}:${String(port)}` : 'no address';
}

function timersOf(inspector: OwnInspector | undefined): string[] {
  const sample = setTimeout(() => undefined, 1);
  clearTimeout(sample);
  const prototype = Object.getPrototypeOf(sample) as object;
  const all = (inspector?.instancesOf(prototype) ?? []) as readonly Timer[];
  // Those that are set, and that keep the thread alive.
  const set = all.filter((timer) => timer._destroyed === false && timer.hasRef?.() === true);
  const places = inspector?.placesOf(set.map(({ _onTimeout }) => _onTimeout)) ?? [];
  return counted(
    set.map(({ _idleTimeout, _repeat }, index) => {
      const time = `${_repeat === null ? 'timer' : 'interval'} of ${String(_idleTimeout)} ms`;
      return places[index] === undefined || places[index] === '' ? time : `${time}, callback at ${places[index]}`;
    }),
  );
}
