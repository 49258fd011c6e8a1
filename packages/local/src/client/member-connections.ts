// Connections to other members.

import { createConnection, type Socket } from 'node:net';
import { pause, PLATFORM } from '@sluice/remote/internal';
import { frameOf } from '../server/frames.ts';
import { failedWith } from '../folder/failed-with.ts';

/** Connects to a member. Resolves with `undefined` if its process is dead. Rejects if that is not known. */
export function connectTo(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    socket.unref();
    const onError = (failure: Error): void => {
      socket.destroy();
      if (failedWith(failure, 'ECONNREFUSED', 'ENOENT')) resolve(undefined);
      else reject(failure);
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}

/** A member that is not known to be dead is asked again after this many ms. */
const AGAIN_MS = 20;

/** Calls `onDead` when the process of a member is dead. Returns a function that ends the watch. */
export function watchMember(path: string, onDead: () => void): () => void {
  let isOver = false;
  let current: Socket | undefined;
  const hasEnded = (): boolean => isOver;
  const look = async (): Promise<void> => {
    while (!isOver) {
      try {
        current = await connectTo(path);
        const socket = current;
        if (hasEnded()) socket?.destroy();
        else if (socket === undefined) onDead();
        if (socket === undefined || hasEnded()) return;
        socket.write(frameOf(['watch']));
        await new Promise((resolve) => socket.resume().once('close', resolve));
      } catch {
        // Too many open files, or a full queue.
        await pause(PLATFORM, AGAIN_MS);
      }
    }
  };
  void look();
  return () => {
    isOver = true;
    current?.destroy();
  };
}
