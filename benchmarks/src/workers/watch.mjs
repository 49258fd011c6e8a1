// @ts-check
import { WatchCell } from '@sluice/broadcast';
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads';

/** @typedef {{ done: number }} State */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
/** @param {State} state */
const tellLast = (state) => {
  if (state.done === 0) port.postMessage('last');
};
const { kind, handle, back } = workerData;

const ready = () => port.postMessage('ready');
if (kind === 'channel')
  new BroadcastChannel('state').onmessage = (event) => tellLast(/** @type {{ data: State }} */ (event).data);
if (kind === 'port') port.on('message', tellLast);
if (kind === 'echo-port') port.on('message', (state) => port.postMessage(state));
if (kind === 'cell') {
  const cell = /** @type {WatchCell<State>} */ (WatchCell.from(handle));
  cell.get();
  ready();
  for (;;) tellLast(await cell.changedAsync());
}
if (kind === 'echo-cell') {
  const [there, answer] = [WatchCell.from(handle), WatchCell.from(back)];
  there.get();
  ready();
  for (;;) answer.set(there.changed());
}
ready();
