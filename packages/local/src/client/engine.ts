// The engine of a space without a server of its own. One member of the namespace serves. The others call it.
//
// 1. A member that finds that the serving process is dead, or answers nothing, claims the token and serves (claim.ts).
// 2. The server that was given up may only be stopped. When it goes on, it finds its token gone before it answers
//    (../server/server.ts).
// 3. After each change of the server, sessions ask for what they may have missed: `onReady`.

import { join } from 'node:path';
import { Interrupted, pause, PLATFORM, type RemoteEngine, type Listener } from '@sluice/remote/internal';
import { FORMAT } from '@sluice/remote/steps';
import { keepAlive, letGo, messageOf, threadBudget } from '@sluice/core/calls';
import { LocalError } from '../folder/errors.ts';
import { claim, findToken, readNewest, run, type Token } from '../folder/claim.ts';
import { FolderFiles, type Files } from '../folder/folder-files.ts';
import { OtherFormat, stateIn } from '../folder/journal.ts';
import { folderError, makeFolder, newMember, type NamespaceFolder } from '../folder/namespace-folder.ts';
import { MemberSocket } from '../server/member-socket.ts';
import { Server, type MemberCall, type SpaceMember } from '../server/server.ts';
import { connectTo, watchMember } from './member-connections.ts';
import { Link } from './link.ts';

/** A server that answers nothing is given up after this part of a lease. */
const PATIENCE = 1 / 6;
/** Between two attempts to find a server, in ms. */
const AGAIN_MS = 5;
const HOUR = 3_600_000;

interface Subscription {
  readonly onMessage: (text: string) => void;
  readonly onReady: () => void;
}

/** Where the calls of this member go. */
type Route = { readonly server: Server } | { readonly link: Link };

export class LocalEngine implements RemoteEngine, SpaceMember {
  readonly format = FORMAT;
  /** A step that is sent again waits until a server is found. */
  readonly retryMs = 1;
  readonly owner = newMember();
  readonly #folder: NamespaceFolder;
  readonly #files: Files;
  readonly #patienceMs: number;
  readonly #ownSocket: MemberSocket;
  readonly #subscriptions = new Map<string, Subscription>();
  /** The calls to the server of this process. */
  readonly #own = new Map<number, { resolve: (words: string[]) => void; reject: (reason: Error) => void }>();
  #inbox: MemberCall[] = [];
  #last = 0;
  #route: Route | undefined;
  #finding: Promise<Route> | undefined;
  #touching: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(folder: NamespaceFolder, lease: number) {
    this.#folder = folder;
    this.#files = new FolderFiles(folder.path, folder.fileMode);
    this.#patienceMs = lease * PATIENCE;
    this.#ownSocket = new MemberSocket(this.#socketOf(this.owner), folder.fileMode === 0o666, () => this.#server);
  }

  /** Opens a member of the namespace in the folder. Rejects with `LocalError` if the folder cannot be used. */
  static async open(folder: NamespaceFolder, lease: number): Promise<LocalEngine> {
    makeFolder(folder);
    const engine = new LocalEngine(folder, lease);
    try {
      await engine.#find();
    } catch (cause) {
      engine.close();
      throw folderError(folder.path, cause);
    }
    return engine;
  }

  /** Whether this process serves. */
  get serves(): boolean {
    return this.#server !== undefined;
  }

  async run(step: readonly (string | number)[], ref: boolean): Promise<string[]> {
    if (ref) keepAlive();
    try {
      const route = this.#route ?? (await this.#find());
      return await ('link' in route ? route.link.call(step) : this.#callOwn(step));
    } finally {
      if (ref) letGo();
    }
  }

  async listen(session: string, onMessage: (text: string) => void, onReady: () => void): Promise<Listener> {
    const subscription: Subscription = { onMessage, onReady };
    this.#subscriptions.set(session, subscription);
    if (this.#route === undefined) await this.#find();
    return {
      close: () => {
        // A session subscribes anew before it gives up the old subscription.
        if (this.#subscriptions.get(session) === subscription) this.#subscriptions.delete(session);
      },
    };
  }

  otherFormat(there: string): LocalError {
    return new LocalError(
      `The namespace is in use by another version of @sluice/local (format ${there}; this is ${FORMAT}). Use another namespace, or the same version everywhere.`,
    );
  }

  unreachable(cause: unknown): LocalError {
    return new LocalError(`No process of the namespace could serve: ${messageOf(cause)}.`, { cause });
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#touching);
    const route = this.#route;
    this.#route = undefined;
    if (route !== undefined && 'server' in route) route.server.end();
    else route?.link.close();
    this.#ownSocket.close();
  }

  /** The server of this process answers a call of this process. */
  answer(call: number, words: readonly string[] | undefined, error: string): void {
    const pending = this.#own.get(call);
    this.#own.delete(call);
    if (words === undefined) pending?.reject(new LocalError(error));
    else pending?.resolve([...words]);
  }

  tell(session: string, message: string): void {
    // The caller is in a call of this process, which must not run others in between.
    queueMicrotask(() => this.#subscriptions.get(session)?.onMessage(message));
  }

  get #server(): Server | undefined {
    const route = this.#route;
    return route !== undefined && 'server' in route ? route.server : undefined;
  }

  #socketOf(member: string): string {
    return process.platform === 'win32' ? `\\\\.\\pipe\\sluice-${member}` : join(this.#folder.path, `${member}.sock`);
  }

  #callOwn(words: readonly (string | number)[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const number = ++this.#last;
      this.#own.set(number, { resolve, reject });
      // Calls of one turn are one batch.
      if (this.#inbox.length === 0) this.#handleSoon();
      this.#inbox.push({ member: this, number, words });
    });
  }

  /** A loop of calls of this process must let the event loop turn: the other members call through sockets. */
  #handleSoon(): void {
    const later = threadBudget.spend();
    if (later === undefined) queueMicrotask(() => this.#handleOwn());
    else void later.then(() => this.#handleOwn());
  }

  #handleOwn(): void {
    const calls = this.#inbox;
    this.#inbox = [];
    const server = this.#server;
    if (server === undefined) this.#interruptOwn();
    else run(server.handle(calls));
  }

  #interruptOwn(): void {
    const pending = [...this.#own.values()];
    this.#own.clear();
    for (const { reject } of pending) reject(new Interrupted('this process does not serve any more'));
  }

  /** Finds a server, or becomes one. */
  #find(): Promise<Route> {
    this.#finding ??= this.#look().finally(() => (this.#finding = undefined));
    return this.#finding;
  }

  async #look(): Promise<Route> {
    const end = performance.now() + Math.max(1000, 4 * this.#patienceMs);
    let lastFailure: unknown;
    do {
      if (this.#closed) throw new Interrupted('the space is closed');
      try {
        const route = await this.#lookOnce();
        if (route !== undefined) {
          this.#route = route;
          // What arrived for this session in between is found by asking.
          for (const { onReady } of [...this.#subscriptions.values()]) queueMicrotask(onReady);
          return route;
        }
      } catch (failure) {
        if (failure instanceof LocalError) throw failure;
        lastFailure = failure;
      }
      await pause(PLATFORM, AGAIN_MS);
    } while (performance.now() < end);
    throw folderError(this.#folder.path, lastFailure ?? new Error('the serving process changes all the time'));
  }

  async #lookOnce(): Promise<Route | undefined> {
    makeFolder(this.#folder);
    await this.#ownSocket.open();
    const token = run(findToken(this.#files));
    if (token === undefined) return undefined;
    const socket = token.member === this.owner ? undefined : await this.#connectTo(token);
    if (socket === undefined) return this.#serve(token);
    const link = new Link(socket, {
      patienceMs: this.#patienceMs,
      onMessage: (session, text) => this.#subscriptions.get(session)?.onMessage(text),
      onEnd: () => this.#linkEnded(link),
    });
    const greeting = await link.greet(this.owner);
    if (greeting.kind === 'serves') return { link };
    link.close();
    if (greeting.kind === 'format') throw this.otherFormat(greeting.there);
    return this.#serve(token);
  }

  async #connectTo(token: Token): ReturnType<typeof connectTo> {
    return token.epoch === 0 ? undefined : connectTo(this.#socketOf(token.member));
  }

  /** Claims the token, and serves. Undefined: another member was first. */
  async #serve(from: Token): Promise<Route | undefined> {
    await this.#checkFormat();
    const token = run(claim(this.#files, from, this.owner));
    if (token === undefined) return undefined;
    const server: Server = run(
      Server.begin({
        files: this.#files,
        token,
        micros: () => Date.now() * 1000,
        watch: (owner, onDead) => watchMember(this.#socketOf(owner), onDead),
        onEnd: () => this.#serverEnded(server),
      }),
    );
    if (!run(server.join(this))) return undefined;
    this.#touching ??= setInterval(() => this.#touch(), HOUR).unref();
    return { server };
  }

  /** Another version may have written the journals. If one of its processes lives, the namespace is its. */
  async #checkFormat(): Promise<void> {
    try {
      const bytes = run(readNewest(this.#files));
      if (bytes !== undefined) stateIn(bytes);
    } catch (failure) {
      if (!(failure instanceof OtherFormat)) throw failure;
      for (const name of this.#files.list()) {
        const [, member] = /^(\w+)\.sock$/.exec(name) ?? [];
        if (member === undefined || member === this.owner) continue;
        const socket = await connectTo(this.#socketOf(member)).catch(() => null);
        socket?.destroy();
        if (socket !== undefined) throw this.otherFormat(failure.there);
      }
      for (const name of this.#files.list()) if (name.endsWith('.log')) this.#files.remove(name);
    }
  }

  #touch(): void {
    try {
      this.#server?.touch();
      this.#files.touch(`${this.owner}.sock`);
    } catch {
      // The folder was removed. The next call finds out.
    }
  }

  #linkEnded(link: Link): void {
    if (this.#route === undefined || !('link' in this.#route) || this.#route.link !== link) return;
    this.#lost();
  }

  #serverEnded(server: Server): void {
    if (this.#server !== server) return;
    this.#ownSocket.disconnectCallers();
    this.#interruptOwn();
    this.#lost();
  }

  /** The route is gone. The next server is found at once, so that waiters hear of their grants. */
  #lost(): void {
    this.#route = undefined;
    if (!this.#closed) this.#find().catch(() => undefined);
  }
}
