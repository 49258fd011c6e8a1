// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const CLAIMS = '../../worker-pool/src/claims.ts';
const TAKE = 'const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, BEGUN));';
const ANSWER = 'return seen === claimOf(offer, QUEUED) || seen === claimOf(offer, BEGUN);';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a worker looks at the claim and then writes it',
    file: CLAIMS,
    find: TAKE,
    replace: 'const seen = this.#words.load32(this.#at(slot));\n    this.#words.store32(this.#at(slot), claimOf(offer, BEGUN));',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'a worker runs what it takes, whatever the claim says',
    file: CLAIMS,
    find: ANSWER,
    replace: 'return seen !== -1;',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'the pool withdraws without comparing',
    file: CLAIMS,
    find: 'const seen = this.#words.cas32(this.#at(slot), claimOf(offer, QUEUED), claimOf(offer, WITHDRAWN));',
    replace: 'const seen = this.#words.load32(this.#at(slot));\n    this.#words.store32(this.#at(slot), claimOf(offer, WITHDRAWN));',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'a claim does not name its offer',
    file: CLAIMS,
    find: 'return (offer << STATE_BITS) | state;',
    replace: 'return offer === -1 ? 0 : state;',
    caughtBy: 'one task is withdrawn beside one worker',
  },
  {
    name: 'a worker leaves what one that died was taking',
    file: CLAIMS,
    find: ANSWER,
    replace: 'return seen === claimOf(offer, QUEUED);',
    caughtBy: 'a worker dies while it takes',
  },
];
