// A server in this process: the unchanged script on a Lua engine, over the store.

import { LuaFactory, type LuaEngine } from 'wasmoon';
import { STORE } from './store.ts';

/** The engine is reused, because its creation takes longer than a schedule. */
let last: { readonly script: string; readonly engine: LuaEngine } | undefined;

/** OOM: the server has no memory left. MISCONF: it cannot save. */
export type Refusal = '' | 'OOM' | 'MISCONF';

const SEPARATOR = '\x1f';

export class LuaServer {
  readonly #engine: LuaEngine;
  readonly #run: (now: number, base: string, args: string) => string;

  private constructor(engine: LuaEngine) {
    this.#engine = engine;
    this.#run = engine.global.get('RUN') as (now: number, base: string, args: string) => string;
  }

  static async start(script: string): Promise<LuaServer> {
    if (last?.script !== script) {
      last?.engine.global.close();
      const engine = await new LuaFactory().createEngine();
      await engine.doString(`${STORE}\nfunction SCRIPT() ${script}\nend`);
      last = { script, engine };
    }
    const server = new LuaServer(last.engine);
    server.#text('RESET');
    return server;
  }

  /** Makes the server refuse writes with this word from now on; '': accept them. */
  refuse(word: Refusal): void {
    (this.#engine.global.get('REFUSE') as (word: string) => void)(word);
  }

  /** Runs the script at server time `ms`. Returns the reply, or 'REFUSED' and why, and the messages that it sent. */
  call(
    ms: number,
    base: string,
    args: readonly string[],
  ): { readonly reply: string[]; readonly messages: (readonly [channel: string, message: string])[] } {
    const reply = this.#run(ms * 1000, base, args.join(SEPARATOR)).split(SEPARATOR);
    const published = this.#text('PUBLISHED').split(SEPARATOR);
    const messages: [string, string][] = [];
    for (let i = 0; i + 1 < published.length; i += 2) messages.push([published[i] ?? '', published[i + 1] ?? '']);
    return { reply, messages };
  }

  /** Returns the fault in the order of grants, or ''. */
  get violation(): string {
    return this.#text('VIOLATION');
  }

  /** Returns the number of permits of rates that were taken and not returned. */
  get charged(): number {
    return Number(this.#text('CHARGED'));
  }

  /** Returns all fields of all keys, one per line. */
  get dump(): string[] {
    return this.#text('DUMP')
      .split('\n')
      .filter((line) => line !== '');
  }

  /** Saves the present state, like a replica that gets no more updates. */
  copy(): void {
    this.#text('COPY');
  }

  /** Replaces the present state by the saved one. Returns whether there is one. */
  promote(): boolean {
    return this.#text('PROMOTE') === 'true';
  }

  #text(name: string): string {
    return String((this.#engine.global.get(name) as () => unknown)());
  }
}
