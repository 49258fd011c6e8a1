// The thread of a view. It needs no event loop but its own, and is no agent of the arenas that it shows.

import { messageOf } from '@sluice/core/calls';
import type { ArenaHandle } from '@sluice/core';
import { readFileSync } from 'node:fs';
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads';
import { ViewedArenas } from './viewed-arenas.ts';
import { takePlaceTable } from '../tables/place-table.ts';
import { HTML } from './page/html.ts';
import { STYLE } from './page/style.ts';
import { ViewServer } from './view-server.ts';
import type { FromView, ToView, ViewData } from './view-messages.ts';

const { token, port, program, handles, places, channel: channelName, answer, ready } = workerData as ViewData;

takePlaceTable(places);
const arenas = new ViewedArenas(program, () => performance.now());
const channel = channelName === undefined ? undefined : new BroadcastChannel(channelName);
let server: ViewServer | undefined;

start().then(
  (taken) => tell({ port: taken }),
  (failure: unknown) => {
    end();
    tell({ failure: messageOf(failure) });
  },
);

/** Resolves with the port. The caller of `startView` waits: every failure has to reach it. */
async function start(): Promise<number> {
  server = new ViewServer({
    token,
    files: {
      '': HTML,
      'style.css': STYLE,
      'page.js': readFileSync(new URL('./sluice-view-page.js', import.meta.url), 'utf8'),
    },
    frame: (arena, filter) => arenas.frame(arena, filter),
  });
  if (channel !== undefined) channel.onmessage = (event) => obey((event as { readonly data: ToView }).data);
  parentPort?.on('message', obey);
  for (const handle of handles) arenas.add(handle, true);
  return server.listen(port);
}

function tell(outcome: FromView): void {
  answer.postMessage(outcome);
  answer.close();
  Atomics.store(ready, 0, 1);
  Atomics.notify(ready, 0);
}

function obey(message: ToView): void {
  switch (message.type) {
    case 'arena':
      add(message.handle, message.stays);
      break;
    case 'stop':
      end();
  }
}

/** Shows the arena of a handle, unless the handle is from a copy of Sluice with another layout. */
function add(handle: ArenaHandle, stays: boolean): void {
  try {
    arenas.add(handle, stays);
  } catch {
    // The other arenas are still shown.
  }
}

function end(): void {
  server?.close();
  channel?.close();
  parentPort?.close();
}
