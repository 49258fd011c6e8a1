// The socket of a member. It says that the member lives, and takes the calls of others while the member serves.
//
//   first message                 meaning
//   ['hello', FORMAT, MEMBER]     the other member wants to call
//   ['watch']                     the other member only wants to learn when this one ends
//
//   later messages                from     meaning
//   [N, words of a step]          caller   call number N
//   [N, words of the answer]      server   the answer to call N
//   [N, null, text]               server   call N was refused
//   ['welcome', EPOCH]            server   it serves
//   ['format', FORMAT]            server   it serves another version
//   ['wrong', text]               server   the bytes were no messages; the connection ends
//   ['say', SESSION, text]        server   a message for a session
//
// A connection with bytes that are no messages ends. No other connection notices it.

import { existsSync } from 'node:fs';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { platform } from 'node:process';
import { FORMAT } from '@sluice/remote/steps';
import { frameOf, readFrames } from './frames.ts';
import type { SpaceMember, Server } from './server.ts';
import { run } from '../folder/claim.ts';

/** A caller that does not read its answers is disconnected when this many bytes wait for it. */
const MAX_UNREAD = 2 ** 26;

class RemoteMember implements SpaceMember {
  readonly owner: string;
  readonly #socket: Socket;

  constructor(owner: string, socket: Socket) {
    this.owner = owner;
    this.#socket = socket;
  }

  answer(call: number, words: readonly string[] | undefined, error: string): void {
    this.#write(words === undefined ? [call, null, error] : [call, ...words]);
  }

  tell(session: string, message: string): void {
    this.#write(['say', session, message]);
  }

  #write(message: readonly unknown[]): void {
    this.#socket.write(frameOf(message));
    if (this.#socket.writableLength > MAX_UNREAD) this.#socket.destroy();
  }
}

export class MemberSocket {
  readonly #path: string;
  readonly #server: () => Server | undefined;
  readonly #shared: boolean;
  #net: NetServer | undefined;
  readonly #sockets = new Set<Socket>();
  /** The connections of members that call. */
  readonly #callers = new Set<Socket>();

  /** `shared`: all users may connect. `server`: the server of this member, while it serves. */
  constructor(path: string, shared: boolean, server: () => Server | undefined) {
    this.#path = path;
    this.#shared = shared;
    this.#server = server;
  }

  /** Listens, if it does not listen, or its file was removed. */
  async open(): Promise<void> {
    if (this.#net !== undefined && (platform === 'win32' || existsSync(this.#path))) return;
    // First: the end of the old one removes the file.
    this.#net?.close();
    const net = createServer((socket) => this.#accept(socket));
    this.#net = net;
    await new Promise<void>((resolve, reject) => {
      net.once('error', reject);
      net.listen({ path: this.#path, readableAll: this.#shared, writableAll: this.#shared }, () => {
        net.off('error', reject);
        resolve();
      });
    });
    // A failure to accept, such as too many open files, ends no server.
    net.on('error', () => undefined);
    net.unref();
  }

  /** Ends the connections of members that call. They look for the next server. */
  disconnectCallers(): void {
    for (const socket of this.#callers) socket.destroy();
  }

  close(): void {
    this.#net?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.unref();
    socket.on('error', () => undefined);
    let member: SpaceMember | undefined;
    const end = (why: string): void => {
      socket.end(frameOf(['wrong', why]));
      socket.destroySoon();
    };
    readFrames(
      socket,
      (messages) => {
        const calls = member === undefined ? messages.slice(1) : messages;
        if (member === undefined) {
          const [first = []] = messages;
          if (first[0] === 'watch') return;
          if (first[0] !== 'hello') return end('the first message is no greeting');
          member = this.#greet(socket, first);
        }
        if (member !== undefined) this.#handle(socket, member, calls, end);
      },
      end,
    );
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#callers.delete(socket);
      if (member !== undefined) this.#server()?.leave(member);
    });
  }

  /** Answers a greeting. Ends the connection if this member does not serve. */
  #greet(socket: Socket, [, format, owner]: readonly unknown[]): SpaceMember | undefined {
    const server = this.#server();
    if (server === undefined) {
      socket.destroy();
      return undefined;
    }
    if (format !== FORMAT) {
      socket.end(frameOf(['format', FORMAT]));
      return undefined;
    }
    if (typeof owner !== 'string' || !/^\w{1,64}$/.test(owner)) {
      socket.end(frameOf(['wrong', 'the name of the member is wrong']));
      return undefined;
    }
    const member = new RemoteMember(owner, socket);
    this.#callers.add(socket);
    if (!run(server.join(member))) return undefined;
    socket.write(frameOf(['welcome', server.token.epoch]));
    return member;
  }

  #handle(socket: Socket, member: SpaceMember, messages: readonly unknown[][], end: (why: string) => void): void {
    const calls = messages.map(([number, ...words]) => ({ member, number: Number(number), words }));
    if (calls.some(({ number }) => !Number.isSafeInteger(number))) return end('a call has no number');
    if (calls.length === 0) return;
    // The answers of one batch are one write.
    socket.cork();
    const server = this.#server();
    if (server !== undefined) run(server.handle(calls));
    socket.uncork();
  }
}
