// Mutants of the take-over: each changes one line. The schedules of the plan that a mutant names must fail with it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LIVE = 'servers that are given up while they live';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a server does not look at its token',
    in: 'stillServes',
    find: 'files.exists(tokenName(token))',
    replace: "tokenName(token) !== ''",
    caughtBy: LIVE,
  },
  {
    name: 'a server looks at its token before it writes the records',
    in: 'Server.#commit',
    find: 'yield;',
    replace: 'if (!(yield* this.#check())) return; yield;',
    also: {
      in: 'Server.#commit',
      find: 'if (!(yield* this.#check())) return;',
      replace: 'if (this.#ended) return;',
    },
    caughtBy: LIVE,
  },
  {
    name: 'a server does not record the steps',
    in: 'Server.#run',
    find: 'this.#records += record;',
    replace: '',
    caughtBy: 'deaths',
  },
  {
    name: 'a server does not record deaths',
    in: 'Server.#died',
    find: 'this.#records += deathRecord(us, owner);',
    replace: '',
    caughtBy: 'deaths',
  },
  {
    name: 'several candidates serve',
    in: 'claim',
    file: 'local/src/folder/claim.ts',
    find: '? token : undefined',
    replace: '? token : token',
    caughtBy: LIVE,
  },
  {
    name: 'a candidate claims without taking the token away',
    in: 'claim',
    file: 'local/src/folder/claim.ts',
    find: 'files.rename(tokenName(from), tokenName(token)) ? token : undefined',
    replace: '(files.create(tokenName(token)), token)',
    caughtBy: LIVE,
  },
  {
    name: 'a candidate reads the oldest journal',
    in: 'readNewest',
    find: 'journalsIn(files).at(-1)',
    replace: 'journalsIn(files)[0]',
    caughtBy: 'all of them',
  },
  {
    name: 'a journal has its name before it is complete',
    in: 'publish',
    file: 'local/src/folder/claim.ts',
    find: '`${name}.tmp`',
    replace: 'name',
    caughtBy: 'deaths',
  },
  {
    name: 'a candidate removes the journals of all others',
    in: 'publish',
    file: 'local/src/folder/claim.ts',
    find: 'each.epoch < token.epoch ||',
    replace: 'each.epoch !== token.epoch ||',
    caughtBy: 'stopped processes',
  },
  {
    name: 'the members without a connection are not watched',
    in: 'Server.leave',
    find: 'this.#watch(member.owner)',
    replace: 'this.#unwatch(member.owner)',
    caughtBy: 'deaths',
  },
  {
    name: 'the next server does not watch the members that it knows from the journal',
    in: 'Server.#watchAll',
    find: 'this.#watch(owner)',
    replace: 'this.#unwatch(owner)',
    caughtBy: 'deaths',
  },
  {
    name: 'a member that does not connect at once counts as dead',
    in: 'Server.#watchAll',
    find: 'this.#watch(owner)',
    replace: 'dropOwner(this.#state, this.#send, this.#options.micros(), owner)',
    caughtBy: LIVE,
  },
  {
    name: 'the end of a connection counts as a death',
    in: 'Server.leave',
    find: 'this.#watch(member.owner)',
    replace: 'dropOwner(this.#state, this.#send, this.#options.micros(), member.owner)',
    caughtBy: LIVE,
  },
];
