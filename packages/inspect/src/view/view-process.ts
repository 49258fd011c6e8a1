// The view that the environment asks for. It shows all arenas that the threads of this process open.

import type { ArenaHandle } from '@sluice/core';
import { messageOf, show } from '@sluice/core/calls';
import { LAYOUT_VERSION } from '@sluice/core/format';
import { listenToOpened, openedArenas, type OpenedArena } from '@sluice/core/report';
import process from 'node:process';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { withoutModules } from '../watchdog/watchdog-messages.ts';
import { ArenaView } from './start-view.ts';
import type { ToView } from './view-messages.ts';

const VARIABLE = 'SLUICE_VIEW';
/** If a process has copies of Sluice with different layouts, each layout has its own view. */
const CHANNEL = `sluice view, layout ${LAYOUT_VERSION}`;
/** The value that stands for any free port. */
const ANY = 1;
const MAX_PORT = 65_535;

/**
 * If SLUICE_VIEW is set, starts a view in the main thread, and writes its URL to stderr. In another thread, tells that
 * view of the arenas that the thread opens. A second copy of this package in the same thread does nothing.
 *
 * Throws `RangeError` for a value that is no port.
 */
export function viewProcess(): void {
  const port = portInVariable();
  if (port === undefined) return;
  let view: ArenaView | undefined;
  const attend = ({ handle }: OpenedArena): void => {
    if (isMainThread) view?.addHandle(handle, false);
    else broadcast(handle);
  };
  if (!listenToOpened('view', attend)) return;
  if (isMainThread) {
    try {
      view = new ArenaView({ port, handles: [], channel: CHANNEL });
    } catch (failure) {
      // The program runs without it.
      process.emitWarning(messageOf(failure), { type: 'SluiceWarning', code: 'SLUICE_VIEW' });
      return;
    }
    process.stderr.write(`Sluice view, process ${process.pid}: ${view.url}\n`);
  }
  for (const opened of openedArenas()) attend(opened);
}

/** Returns the port, 0 for any free one, or `undefined` if there is to be no view. */
function portInVariable(): number | undefined {
  const text = process.env[VARIABLE];
  if (text === undefined || text.trim() === '') return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port === 0) return undefined;
  if (port === ANY) return 0;
  if (port > ANY && port <= MAX_PORT) return port;
  throw new RangeError(`${VARIABLE} must be 1 for any free port, or a port such as 7411: received ${show(text)}`);
}

/** Tells the view's thread directly: the main thread may be blocked. */
function broadcast(handle: ArenaHandle): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage({ type: 'arena', handle: withoutModules(handle), stays: false } satisfies ToView);
  channel.close();
}
