// What a scope has started and what is not over yet: tasks, and scopes within the scope.

/** A task or a scope. */
export interface Member {
  readonly promise: Promise<unknown>;
  /** Rejects the promise with `reason`, unless it has settled. */
  cancel(reason: unknown): void;
  /** Calls `listener` when the member is over: its promise has settled, and no worker runs anything of it. */
  onOver(listener: () => void): void;
}

export class ScopeMembers {
  readonly #members = new Set<Member>();
  #cancelled: { readonly why: unknown } | undefined;
  #controller: AbortController | undefined;
  #onEmpty: (() => void) | undefined;
  #hasEnded = false;

  /** The callback of the scope has settled, so nothing may be added. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get size(): number {
    return this.#members.size;
  }

  /** The reason of the first `cancel`. */
  get cancelled(): { readonly why: unknown } | undefined {
    return this.#cancelled;
  }

  /** Aborted by `cancel`. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled !== undefined) this.#controller.abort(this.#cancelled.why);
    return this.#controller.signal;
  }

  add(member: Member): void {
    this.#members.add(member);
    member.onOver(() => {
      this.#members.delete(member);
      if (this.#members.size === 0) this.#onEmpty?.();
    });
    if (this.#cancelled !== undefined) cancelOne(member, this.#cancelled.why);
  }

  /** Cancels all members, and those that are added later. A second call has no effect. */
  cancel(why: unknown): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { why };
    // The last first: a slot that becomes free would go to the next task in line.
    for (const member of [...this.#members].reverse()) cancelOne(member, why);
    this.#controller?.abort(why);
  }

  /** Cancels what is left, and resolves when all members are over. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.cancel(new DOMException('The scope of this task has ended.', 'AbortError'));
    if (this.#members.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }
}

/** The scope rejects with `why`, so the member's own rejection need not be handled. */
function cancelOne(member: Member, why: unknown): void {
  member.promise.catch(() => undefined);
  member.cancel(why);
}
