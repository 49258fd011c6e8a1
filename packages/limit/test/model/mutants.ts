// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const KERNEL = 'kernel/slots.ts';
const SLOTS = '../../limit/src/sized-slots.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'one that takes some away does not compare in the word that it changes',
    file: KERNEL,
    find: 'if (cas64(slots, seen, pair(low32(seen), high32(seen) - count)) === seen) return count;',
    replace: 'if (cas64(slots, load64(slots), pair(low32(seen), high32(load64(slots)) - count)) !== wide(-1)) return count;',
    caughtBy: 'both make it fewer',
  },
  {
    name: 'one that asks for more does not compare in the word that it changes',
    file: KERNEL,
    find: 'if (cas64(slots, seen, pair(size, there + more)) !== seen) return RACED;',
    replace: 'if (cas64(slots, load64(slots), pair(size, high32(load64(slots)) + more)) === wide(-1)) return RACED;',
    caughtBy: 'both make it more',
  },
  {
    name: 'slots that are there already are made again',
    file: KERNEL,
    find: 'const more = size > there ? size - there : 0;',
    replace: 'const more = size > low32(seen) ? size - low32(seen) : 0;',
    caughtBy: 'down and up beside two that run',
  },
  {
    name: 'all in hand are taken away',
    file: KERNEL,
    find: 'const count = tooMany < most ? tooMany : most;',
    replace: 'const count = most;',
    caughtBy: 'one makes it fewer, one runs',
  },
  {
    name: 'what was taken away is still held when another was faster',
    file: KERNEL,
    find: '  put64(entry, held);\n  return RACED;',
    replace: '  return RACED;',
    caughtBy: 'death of one that makes it fewer beside one that sets',
  },
  {
    name: 'what is taken away is still held',
    file: KERNEL,
    find: '  put64(entry, minus(held, wide(count)));\n',
    replace: '',
    caughtBy: 'one makes it fewer, one runs',
  },
  {
    name: 'what is made is not held',
    file: KERNEL,
    find: '  if (more > 0) credit(entry, wide(more));\n',
    replace: '',
    caughtBy: 'death of one that makes it more',
  },
  {
    name: 'who gives back does not look again afterwards',
    file: SLOTS,
    find: '      left = this.#takeSurplus();\n',
    replace: '      left = inHand > 0 ? 0 : this.#takeSurplus();\n',
    caughtBy: 'one makes it fewer, two run',
  },
  {
    name: 'who makes it fewer does not look what is free',
    file: SLOTS,
    find: '      left = this.#takeSurplus();\n',
    replace: '      left = inHand === 0 ? 0 : this.#takeSurplus();\n',
    caughtBy: 'both make it fewer',
  },
];
