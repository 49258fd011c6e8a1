// What would break if one line of the lightweight or of the multilane semaphore were wrong.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const BOX = 'kernel/box.ts';
const LANES = 'kernel/multilane.ts';
const LEAVE = 'kernel/leave.ts';
const WALK = 'kernel/walk.ts';
const RECOVER = 'kernel/recover.ts';

export const BOX_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent is counted after it has drawn its ticket',
    file: BOX,
    find: '  if (add64(box + GRANT, wide(-1)) > wide(0)) {\n',
    replace:
      '  if (load64(box + GRANT) <= wide(0)) {\n    const line = box + BLOCK_LINE;\n    const drawn = hasTokens(line) ? waitAt(line, tag, agent, wide(0)) : drawInside(line, tag, entry, agent);\n    add64(box + GRANT, wide(-1));\n    return drawn;\n  }\n  if (add64(box + GRANT, wide(-1)) > wide(0)) {\n',
    caughtBy: 'lightweight over semaphore: a release by another agent',
  },
  {
    name: 'a release gives inside whatever the count is',
    file: BOX,
    find: '  const given = clamp(minus(wide(0), before), count);\n',
    replace: '  const given = count;\n',
    caughtBy: 'lightweight over chain: one permit, two agents',
  },
  {
    name: 'a release looks at the count before it adds to it',
    file: BOX,
    find: '  return letIn(box, agent, add64(box + GRANT, more), count);',
    replace: '  const before = load64(box + GRANT);\n  add64(box + GRANT, more);\n  return letIn(box, agent, before, count);',
    caughtBy: 'lightweight over address: a release by another agent',
  },
  {
    name: 'a release of several gives one inside',
    file: BOX,
    find: 'clamp(minus(wide(0), before), count)',
    replace: 'clamp(minus(wide(0), before), 1)',
    caughtBy: 'lightweight over semaphore: two wait, and a release of two',
  },
  {
    name: 'who gives up is counted still',
    file: BOX,
    find: '  return cas64(box + GRANT, count, plus(count, wide(1))) === count ? OUT : RACED;',
    replace: '  return OUT;',
    caughtBy: 'lightweight over chain: one of two may give up',
  },
  {
    name: 'who gives up is counted no more, also when a permit was given for it',
    file: BOX,
    find: '  if (count >= wide(0)) return TAKEN;\n',
    replace: '',
    caughtBy: 'lightweight over semaphore: one of two may give up',
  },
  {
    name: 'a permit is taken where none is free',
    file: BOX,
    find: '  const taken = clamp(count, most);',
    replace: '  const taken = clamp(plus(count, wide(1)), most);',
    caughtBy: 'lightweight over semaphore: one permit, two agents',
  },
  {
    name: 'free permits are taken by two at once',
    file: BOX,
    find: '  if (cas64(box + GRANT, count, minus(count, wide(taken))) !== count) return RACED;\n',
    replace: '  add64(box + GRANT, wide(-taken));\n',
    caughtBy: 'lightweight over semaphore: waitMany against waitMany',
  },
  {
    name: 'a bound is looked at before the count that it is for',
    file: BOX,
    find: '  if (cas64(box + GRANT, before, plus(before, more)) !== before) {\n',
    replace: '  if (add64(box + GRANT, more) === wide(-99)) {\n',
    caughtBy: 'lightweight over semaphore: two releases, and a bound',
  },
  {
    name: 'a ticket is drawn inside with the mark of an older wait that was given up',
    file: BOX,
    find: '  put32(element + LEAVING, 0);\n',
    replace: '',
    caughtBy: 'lightweight over semaphore: one comes twice, and may give up',
  },
  {
    name: 'a permit that reaches one who is counted no more is not passed on',
    file: LEAVE,
    find: '  announce(sem, agent, add64(sem + GRANT, wide(1)), 1);\n',
    replace: '',
    caughtBy: 'lightweight over semaphore: two wait, and one of them gives up',
  },
  {
    name: 'who gives up takes the token that is promised, and leaves it there',
    file: LEAVE,
    find: '  if (hasTokens(sem)) add64(sem + GRANT, wide(-1));\n',
    replace: '',
    caughtBy: 'lightweight over address: one of two may give up',
  },
  {
    name: 'who is about to sleep for a token sleeps on a count at which one was there',
    file: 'channel/word.ts',
    find: '    if (isEnough?.(seen) === true) continue;\n',
    replace: '',
    caughtBy: 'lightweight over address: one permit, one agent comes twice',
  },
  {
    name: 'a ticket given up is not looked at again after it was put down',
    file: 'kernel/wait.ts',
    find: 'ticket) >= wide(0) || isAtEnd(element);',
    replace: 'ticket) >= wide(0);',
    caughtBy: 'lightweight over chain: nobody releases, and two give up',
  },
  {
    name: 'what a dead agent held is not given to those who wait',
    file: BOX,
    find: '  announce(inner, agent, add64(inner + GRANT, wide(given)), given);\n',
    replace: '',
    caughtBy: 'lightweight over chain: death of one of two',
  },
  {
    name: 'what a dead agent was given and never saw is lost',
    file: RECOVER,
    find: '  if (isBehind(sem)) giveToFront(sem, agent, wide(1));\n  else if',
    replace: '  if (isBehind(sem)) return left;\n  else if',
    caughtBy: 'lightweight over semaphore: death of one of two',
  },
  {
    name: 'a close leaves those asleep who wait for GRANT inside',
    file: LANES,
    find: '  noteDeal(agent, home, tag, wide(0), 0, 1 << get32(home + DEALT_BITS));\n',
    replace: '',
    caughtBy: 'lightweight over ticket: close against a waiter',
  },
];

export const LANE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the permit that comes to a stray is dropped',
    file: WALK,
    find: '    postAnew(agent, element);\n',
    replace: '    put32(agent + AGENT_HELD, 0);\n    discard(element);\n',
    caughtBy: 'multilane of semaphore: a stray',
  },
  {
    name: 'the same of tokens',
    file: WALK,
    find: '    postAnew(agent, element);\n',
    replace: '    put32(agent + AGENT_HELD, 0);\n    discard(element);\n',
    caughtBy: 'multilane of address: a stray',
  },
  {
    name: 'a permit that is posted anew goes to the lane that it came from',
    file: LANES,
    find: '  const lane = laneOf(home, add64(home + GRANT, wide(1)));\n  put32(element + SEM, lane);',
    replace: '  add64(home + GRANT, wide(1));\n  const lane = get32(element + SEM);\n  put32(element + SEM, lane);',
    caughtBy: 'multilane of chain: a stray',
  },
  {
    name: 'of several permits only the first lane gets its share',
    file: LANES,
    find: '  if (index <= 0 || !isThere) store32(agent + AGENT_DEAL, 0);',
    replace: '  put32(agent + AGENT_DEAL, 0);',
    caughtBy: 'multilane of semaphore: a release by another agent, of three',
  },
  {
    name: 'what a dead agent held is numbered, and no lane gets it',
    file: LANES,
    find: '  noteDeal(agent, home, load32(home + BLOCK_TAG), add64(home + GRANT, wide(count)), count, 1 << get32(home + DEALT_BITS));',
    replace: '  add64(home + GRANT, wide(count));',
    caughtBy: 'multilane of chain: death of who posts three',
  },
  {
    name: 'a post goes to the lane of the next number',
    file: LANES,
    find: 'return give(laneOf(home, from), agent);',
    replace: 'return give(laneOf(home, plus(from, wide(1))), agent);',
    caughtBy: 'multilane of semaphore: a release by another agent',
  },
  {
    name: 'shares are counted as if all rounds began with the same lane',
    file: LANES,
    find: '(((lane ^ turnOf(round, shuffled)) & mask)',
    replace: '((lane & mask)',
    caughtBy: 'multilane at random of semaphore: a release of two',
  },
  {
    name: 'two that look at once get one number',
    file: LANES,
    find: '  if (cas64(home + TICKET, number, plus(number, wide(1))) !== number) return RACED;\n',
    replace: '  add64(home + TICKET, wide(1));\n',
    caughtBy: 'multilane of semaphore: a look against a look',
  },
  {
    name: 'a number is taken back, whoever came later',
    file: LANES,
    find: '  if (cas64(home + TICKET, end, number) !== end) return GONE;\n',
    replace: '  add64(home + TICKET, minus(number, end));\n',
    caughtBy: 'multilane of semaphore: a stray',
  },
  {
    name: 'the ticket of a stray is rolled back',
    file: 'kernel/wait.ts',
    find: '  if (isStray(element)) return RACED;\n',
    replace: '',
    caughtBy: 'multilane of chain: a stray',
  },
  {
    name: 'who takes its number back does not look at the one before',
    file: LANES,
    find: '  detach(agent, isOfFamily(lane) ? lane + STRAYS : bucketOf(lane, minus(load64(lane + TICKET), wide(1))));\n',
    replace: '',
    caughtBy: 'multilane of chain: nobody releases, and two give up',
  },
  {
    name: 'a stray that is put back is not looked at again',
    file: WALK,
    find: ' || isAtEnd(element);',
    replace: ' || (!isStray(element) && isAtEnd(element));',
    caughtBy: 'multilane of semaphore: nobody releases, and two give up',
  },
  {
    name: 'a stray takes its number back, and leaves its ticket where it is',
    file: WALK,
    find: '    put32(element + LEAVING, 1);\n',
    replace: '',
    caughtBy: 'multilane of chain: nobody releases, and two give up',
  },
  {
    name: 'a post of a token does not look after strays',
    file: LANES,
    find: '    detach(agent, lane + STRAYS);\n    const told',
    replace: '    const told',
    caughtBy: 'multilane of address: a stray',
  },
  {
    name: 'a ticket is drawn in a lane with the mark of an older wait that was given up',
    file: LANES,
    find: '  put32(element + LEAVING, 0);\n',
    replace: '',
    caughtBy: 'multilane of semaphore: one comes twice, and may give up',
  },
  {
    name: 'a close leaves those asleep who wait for a token of a lane',
    file: LANES,
    find: '  noteDeal(agent, home, tag, wide(0), 0, 1 << get32(home + DEALT_BITS));\n',
    replace: '',
    caughtBy: 'multilane of address: close against a waiter',
  },
  {
    name: 'who finds it closed does not finish what it began',
    file: 'semaphore/line.ts',
    find: ' || left === GONE || left === SHUT)',
    replace: ' || left === GONE)',
    caughtBy: 'multilane of semaphore: a close while one leaves and another comes',
  },
];
