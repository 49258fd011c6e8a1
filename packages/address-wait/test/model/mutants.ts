// What would break if one line of the waits on a condition, or of their recovery, were wrong.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const CHANNEL = 'kernel/channel.ts';
const UNTIL = 'channel/until.ts';
const LOCATION = '../../address-wait/src/location-wait.ts';

export const WAIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'no second look after the push',
    file: UNTIL,
    find: '    const { value, met } = lookAgain(context, element, satisfied);\n    if (met) return value;\n    if (sleepAtGate',
    replace: '    if (sleepAtGate',
    caughtBy: 'addressWaitUntil: one waits',
  },
  {
    name: 'the chain is walked and not detached',
    file: CHANNEL,
    find: '  lay(agent, exchange32(head, 0));\n  return get32(agent + AGENT_TO_WAKE)',
    replace: '  lay(agent, load32(head));\n  return get32(agent + AGENT_TO_WAKE)',
    caughtBy: 'addressWaitUntil: two wait in one bucket',
  },
  {
    name: 'a wait whose condition came true after the push leaves its element in the chain, and uses it again',
    file: UNTIL,
    find: '    if (met) leaveBucket(context, element);\n  }\n}',
    replace: '    if (met) context.keep(element);\n  }\n}',
    caughtBy: 'addressWaitUntil: one waits',
  },
  {
    name: 'a sleeper that is woken does not wake the one below',
    file: CHANNEL,
    find: '  put32(element + GATE, FREE);\n  lay(agent, below);\n',
    replace: '  put32(element + GATE, FREE);\n',
    caughtBy: 'addressWaitUntil: two wait in one bucket',
  },
  {
    name: 'nobody goes on below one that has given up',
    file: CHANNEL,
    find: '  const next = get32(element + NEXT);\n  const up = get32(element + UP);\n  if (next !== 0) put32(next + UP, up);\n  put32(element + NEXT, 0);\n  put32(agent + AGENT_TO_WAKE, next !== 0 ? next : up);\n',
    replace:
      '  const next = load32(element + GATE) === LEFT_CHAIN ? 0 : get32(element + NEXT);\n  const up = get32(element + UP);\n  if (next !== 0) put32(next + UP, up);\n  put32(element + NEXT, 0);\n  put32(agent + AGENT_TO_WAKE, next !== 0 ? next : up);\n',
    caughtBy: 'addressWaitUntil: one of two may give up',
  },
  {
    name: 'who gives up in the middle of a chain does not detach it',
    file: CHANNEL,
    find: '  flush(agent, head);\n  return CANCELLED_LEFT_BEHIND;',
    replace: '  return CANCELLED_LEFT_BEHIND;',
    caughtBy: 'nobody signals, and all give up',
  },
  {
    name: 'below an async waiter nobody goes on but the waiter',
    file: CHANNEL,
    find: ' && get32(element + MODE) !== MODE_ASYNC;',
    replace: ';',
    caughtBy: 'below an async waiter that is blocked',
  },
  {
    name: 'below one that looks at its condition nobody goes on but that one',
    file: CHANNEL,
    find: '  return gate === SLEEPING && get32(element + MODE)',
    replace: '  return gate !== LEFT_CHAIN && get32(element + MODE)',
    caughtBy: 'below one that is blocked while it looks',
  },
  {
    name: 'below one that has left its location nobody goes on',
    file: CHANNEL,
    find: '  return gate === SLEEPING && get32(element + MODE)',
    replace: '  return gate !== LEFT_CHAIN && get32(element + MODE)',
    caughtBy: 'locationWait: two wait in one bucket',
  },
  {
    name: 'an element at another location is used without being taken away',
    file: LOCATION,
    find: '    if (last !== undefined) takeAway(context, last.element);\n',
    replace: '    if (last !== undefined) context.keep(last.element);\n',
    caughtBy: 'from one location to another',
  },
  {
    name: 'the call that pushesOntoChain an element at a location also waits',
    file: LOCATION,
    find: "mode: MODE_BLOCKING }), bucket });\n    return true;\n",
    replace: "mode: MODE_BLOCKING }), bucket });\n    const now = onChain.get(context)?.element ?? 0;\n    sleepAtGate(context, now, policy, end);\n    takeAway(context, now);\n    return true;\n",
    caughtBy: 'locationWait: one waits',
  },
  {
    name: 'one of several who sleep on a word is woken, though all are to be',
    file: '../../address-wait/src/wait-on-address.ts',
    find: '  wake(word);\n',
    replace: '  wake(word, 1);\n',
    caughtBy: 'waitOnAddress: two wait in one bucket',
  },
  {
    name: 'a signal is counted after the chain is detached',
    file: CHANNEL,
    find: '  add64(bucket + SEQUENCE, wide(1));\n  return signalChain(agent, bucket, polite);\n',
    replace: '  const told = signalChain(agent, bucket, polite);\n  add64(bucket + SEQUENCE, wide(1));\n  return told;\n',
    caughtBy: 'keyWait: one waits',
  },
  {
    name: 'who sleeps on a word is not counted before the platform looks at the word',
    file: 'channel/word.ts',
    find: '  kernel.sleepOn(element, sleepers, address, claim?.tag ?? 0);\n',
    replace: '',
    also: { file: 'channel/word.ts', find: '  kernel.wakeUp(element);\n', replace: '' },
    caughtBy: 'waitOnAddress: one waits',
  },
  {
    name: 'recovery leaves the element of a dead waiter as it is',
    file: 'channel/recover.ts',
    find: '  do left = kernel.leaveChain(record, element);\n  while (left === RACED);\n  context.finishWalk(record);\n  return left !== CANCELLED_LEFT_BEHIND;',
    replace: '  left = CANCELLED_LEFT_BEHIND;\n  context.finishWalk(record);\n  return left !== CANCELLED_LEFT_BEHIND;',
    caughtBy: 'addressWaitUntil: death of a waiter above another',
  },
  {
    name: 'recovery gives back the element of a dead waiter while it hangs in a chain',
    file: 'channel/recover.ts',
    find: '  return left !== CANCELLED_LEFT_BEHIND;',
    replace: '  return true;',
    caughtBy: 'a new wait beside the element of a dead agent',
  },
  {
    name: 'recovery does not wake those who wait on a condition',
    file: 'arena/recovery.ts',
    find: '    wakeConditionWaiters(this.#context, this.#record);\n',
    replace: '',
    caughtBy: 'addressWaitUntil: death of who wakes',
  },
  {
    name: 'recovery does not wake those who sleep on a word',
    file: 'channel/recover.ts',
    find: '    if (owner !== 0 && words.load32(element + GATE) === ON_WORD) notifyWord(context, element);\n',
    replace: '',
    caughtBy: 'waitOnAddress: death of who wakes',
  },
  {
    name: 'recovery counts no signal where nobody is in a chain',
    file: 'channel/recover.ts',
    find: '    const sleepers = kernel.wakeAllAt(',
    replace: '    if (words.load32(BUCKETS + (index << BUCKET_SHIFT) + 16) === 0) continue;\n    const sleepers = kernel.wakeAllAt(',
    caughtBy: 'keyWait: death of who wakes',
  },
  {
    name: 'who reads a sequence is not known to wait',
    file: CHANNEL,
    find: '  noteWatched();\n  return toNumber',
    replace: '  return toNumber',
    also: { file: CHANNEL, find: '  noteWatched();\n  put32(element + SEM, bucket);', replace: '  put32(element + SEM, bucket);' },
    caughtBy: 'nobody has waited before, and who wakes dies',
  },
  {
    name: 'of two chains only the first is kept in hand',
    file: CHANNEL,
    find: '  put32(chain + UP, get32(agent + AGENT_TO_WAKE));\n  put32(agent + AGENT_TO_WAKE, chain);\n',
    replace: '  put32(chain + UP, 0);\n  if (get32(agent + AGENT_TO_WAKE) === 0) put32(agent + AGENT_TO_WAKE, chain);\n',
    caughtBy: 'death of who wakes two chains',
  },
  {
    name: 'whom a dead waker had detached is not woken',
    file: 'arena/agent-context.ts',
    find: 'const next = this.kernel.walk(agent);',
    replace: 'const next = this.kernel.walk(this.agent);',
    caughtBy: 'addressWaitUntil: death of who wakes',
  },
  {
    name: 'a waker does not record whom it is about to notify',
    file: CHANNEL,
    find: '  put32(agent + AGENT_NOTIFY, element);\n  return element;',
    replace: '  return element;',
    caughtBy: 'addressWaitUntil: death of who wakes',
  },
];
