// @ts-check
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Broadcast } from '@sluice/broadcast';
import { BroadcastChannel, workerData } from 'node:worker_threads';

const { way, stream, buffer, channelName, count, window, gate } =
  /**
   * @type {{ way: string, stream: never, buffer: never, channelName: string, count: number, window: number, gate:
   *   Int32Array }}
   */
  (workerData);

let got = 0;
function note() {
  got += 1;
  if (got % window !== 0) return;
  Atomics.add(gate, 1, 1);
  Atomics.notify(gate, 1);
}

if (way === 'channel') {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = () => {
    note();
    if (got === count) channel.close();
  };
  Atomics.add(gate, 0, 1);
} else {
  const subscription = way === 'buffers' ? undefined : Broadcast.from(stream).subscribe();
  const values = BoundedBuffer.from(buffer);
  Atomics.add(gate, 0, 1);
  while (got < count) {
    if (subscription !== undefined) subscription.next();
    else values.pop();
    note();
  }
}
