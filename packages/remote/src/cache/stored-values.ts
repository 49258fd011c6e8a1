// The values of one cache on the server: the steps, and the text of a value.
//
//   length of the codec's name, a space, the name, the bytes, one character for each

import { hasCode, MisuseError, type WaitOptions } from '@sluice/core';
import { packedBy, RefusedValue, show } from '@sluice/core/calls';
import type { Grant } from '../session/grant.ts';
import type { Request } from '../session/local-waiters.ts';
import type { Namespace } from '../primitives/namespace.ts';
import { bytesOf, textOf } from '../primitives/lazy-value.ts';
import { keyTitle, prefixOf } from '../line/remote-key.ts';
import { shownKey, wordOf, type RemoteCacheKey } from './cache-key.ts';
import type { RemoteCachePlan } from './options.ts';
import { ValueFound, ValueLine, type FoundValue } from './value-line.ts';

export class StoredValues {
  readonly title: string;
  readonly plan: RemoteCachePlan;
  readonly space: Namespace;
  readonly #request: Request;
  readonly #prefix: string;
  readonly #mark: string;

  constructor(space: Namespace, name: string, title: string, plan: RemoteCachePlan, request: Request) {
    this.space = space;
    this.title = title;
    this.plan = plan;
    this.#request = request;
    this.#prefix = prefixOf(name);
    this.#mark = `x:${name}`;
  }

  /** What the names of the values begin with. */
  get prefix(): string {
    return `v:${this.#prefix}`;
  }

  /** What the server has about all values. */
  keys(): Promise<readonly string[]> {
    return this.space.ask('keys', this.prefix);
  }

  titleOf(word: string): string {
    return keyTitle(this.title, shownKey(word));
  }

  /** Returns the key as the server has it. Throws `TypeError` and `RangeError`. */
  wordOf(key: RemoteCacheKey): string {
    return wordOf(key);
  }

  async peek(word: string): Promise<FoundValue | undefined> {
    const reply = await this.space.ask('peek', this.prefix + word, this.#mark);
    return reply[0] === 'done' ? ValueLine.found(reply) : undefined;
  }

  /**
   * Resolves with the value, or with the grant under which to compute it. Resolves with `undefined` if another session
   * still computes after the timeout. Rejects with the reason of the signal. `began` is the time of the call, if it has
   * waited before.
   */
  async fetch(
    word: string,
    takesStale: boolean,
    options: WaitOptions,
    began?: number,
  ): Promise<FoundValue | Grant | undefined> {
    const line = new ValueLine(this.#prefix + word, this.titleOf(word), this.#mark, takesStale);
    try {
      return await this.#request(line, 1, options, began);
    } catch (failure) {
      if (failure instanceof ValueFound) return failure.found;
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return undefined;
      throw failure;
    }
  }

  /** Stores the value that was computed under a grant. Resolves with whether it is kept. */
  async keep(word: string, grant: Grant, text: string): Promise<boolean> {
    const { ttl, staleFor } = this.plan;
    if (grant.lost) return false;
    try {
      const args = [this.prefix + word, grant.seq, this.#mark, ttl, staleFor, text];
      const { reply } = await grant.session.call('keep', args);
      grant.session.drop(grant.seq);
      // Also absent if the first answer was lost. Then calls that came late look again, and find the value.
      return reply[0] === 'kept';
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_LEASE_LOST')) return false;
      await grant.release().catch(() => undefined);
      throw failure;
    }
  }

  async set(word: string, text: string, ttl: number): Promise<void> {
    const args = [this.prefix + word, ttl, this.plan.staleFor, text];
    await this.space.inSession((session) => session.call('put', args));
  }

  async delete(word: string): Promise<boolean> {
    const args = [this.prefix + word, this.#mark];
    const { reply } = await this.space.inSession((session) => session.call('remove', args));
    return reply[1] === '1';
  }

  async clear(): Promise<void> {
    await this.space.inSession((session) => session.call('clear', [this.#mark]));
  }

  /** Encodes a value. Throws `TypeError`, `RangeError` and the errors of the codec. */
  pack(word: string, value: unknown): string {
    const { codec, capacity } = this.plan;
    try {
      return `${codec.name.length} ${codec.name}${textOf(packedBy(codec, capacity, value))}`;
    } catch (failure) {
      throw failure instanceof RefusedValue
        ? new failure.Kind(`${this.titleOf(word)}: ${failure.message}. Nothing was kept.`)
        : failure;
    }
  }

  /** Decodes a value: a new one for each call. Throws `MisuseError` and the errors of the codec. */
  unpack(word: string, text: string): unknown {
    const { codec } = this.plan;
    const from = text.indexOf(' ') + 1;
    const to = from + Number(text.slice(0, from));
    const name = text.slice(from, to);
    if (name !== codec.name)
      throw new MisuseError(
        `${this.titleOf(word)} has a value of the codec ${show(name)}, and this process made the cache with ${show(codec.name)}. All processes must agree.`,
      );
    return codec.decode(bytesOf(text.slice(to)));
  }
}
