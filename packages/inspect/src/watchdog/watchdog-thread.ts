// The thread of a watchdog. It needs no event loop but its own, and is no agent of the arenas that it reads.

import { messageOf } from '@sluice/core/calls';
import type { ArenaHandle } from '@sluice/core';
import { pid } from 'node:process';
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads';
import { ArenaWatcher } from './arena-watcher.ts';
import { takePlaceTable } from '../tables/place-table.ts';
import type { ToWatchdog, WatchdogData } from './watchdog-messages.ts';
import { writeOut } from './watchdog-output.ts';

const { after, lines, handles, places, dumps, channel: channelName, ready } = workerData as WatchdogData;

takePlaceTable(places);

/** The arenas, by their ids. */
const watchers = new Map<string, ArenaWatcher>();

function write(text: string): void {
  writeOut(`\nSluice watchdog, process ${pid}: ${text}\n`);
}

function watch(handle: ArenaHandle): void {
  if (watchers.has(handle.arena)) return;
  // An arena of `startWatchdog` is watched until `stop`.
  const endsWithoutAgents = channelName !== undefined;
  const end = (): void => void watchers.delete(handle.arena);
  try {
    watchers.set(handle.arena, new ArenaWatcher(handle, { after, lines, endsWithoutAgents, dumps, write, end }));
  } catch (failure) {
    write(`An arena is not watched: ${messageOf(failure)}`);
  }
}

const channel = channelName === undefined ? undefined : new BroadcastChannel(channelName);
if (channel !== undefined) channel.onmessage = (event) => obey((event as { readonly data: ToWatchdog }).data);
parentPort?.on('message', obey);
for (const handle of handles) watch(handle);
if (ready !== undefined) {
  Atomics.store(ready, 0, 1);
  Atomics.notify(ready, 0);
}

function obey(message: ToWatchdog): void {
  switch (message.type) {
    case 'arena':
      watch(message.handle);
      break;
    case 'report':
      for (const watcher of watchers.values()) watcher.report('A report was asked for.');
      if (watchers.size === 0) write('A report was asked for, and no arena is open.');
      break;
    case 'stop':
      for (const watcher of watchers.values()) watcher.stop();
      channel?.close();
      parentPort?.close();
  }
}
