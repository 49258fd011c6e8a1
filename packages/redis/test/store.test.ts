// Tests that the store of the model returns the same replies as a server, with the same random calls of the script on
// both.

import { Random } from '@sluice/harness';
import { expect } from 'vitest';
import { FORMAT, SCRIPT } from '../src/scripts/script.ts';
import { answerOf, keysOf } from '../src/server/engine.ts';
import { LuaServer } from './model/lua-server.ts';
import { onServer } from './support/server.ts';

const SESSIONS = ['a', 'b', 'c'];
const LEASE = '60000';
const CALLS = 400;

/** Tokens and times differ because the clocks differ. A server and the store list fields in different orders. */
function masked(reply: readonly string[]): string[] {
  const words = reply.map((word, i) => (/^\d{9,}$/.test(word) || (reply[0] === 'alive' && i === 1) ? '#' : word));
  return ['looked', 'mine', 'surveyed'].includes(words[0] ?? '') ? words.toSorted() : words;
}

/** Makes calls of the operations on a latch and a barrier, many of them repetitions. */
function roundCalls(random: Random, seq: () => number): string[] {
  const session = random.pick(SESSIONS);
  const [name, size, field] = random.pick([
    ['b:x', '2', 'parties'],
    ['d:x', '2', 'count'],
  ] as const);
  const old = String(random.between(Math.max(1, seq() - 8), Math.max(1, seq())));
  const acts = name === 'b:x' ? random.pick(['0', '1']) : '0';
  const waits = random.chance(80) ? '1' : '0';
  const change = (what: string, n: string): string[] => [
    'change',
    session,
    '1',
    name,
    String(seq()),
    what,
    n,
    acts,
    size,
    field,
  ];
  return random.pick([
    () => ['arrive', session, '1', name, String(seq()), waits, acts, '0', size, field, old],
    () => ['arrive', session, '1', name, old, waits, acts, '0', size, field],
    () => ['cancel', session, '1', name, old, acts],
    () => ['beat', session, '1', LEASE, name, old, acts, '0', name, old, '0', '1'],
    () => ['survey', session, '1', name],
    () => ['mine', session, '1'],
    () => change('claim', '1'),
    () =>
      name === 'b:x'
        ? change(random.pick(['register', 'deregister']), '1')
        : change('count', random.pick(['1', '-1', '-2'])),
    () => (name === 'b:x' ? change(random.pick(['reset', 'abort', 'mend']), '0') : change('count', '-1')),
    () => ['tripped', session, '1', name, old, random.chance(20) ? '1' : '0'],
    () => ['recall', session, '1', 'b:x', random.chance(10) ? '50' : '0'],
    () =>
      random.chance(20)
        ? ['detach', session, '1']
        : ['attach', session, '1', LEASE, 'label', FORMAT, random.pick(SESSIONS.filter((each) => each !== session))],
  ])();
}

onServer('the script on the store of the model', (it) => {
  it('answers like the server, at a latch and a barrier', async ({ command, namespace }) => {
    const random = new Random(11);
    const lua = await LuaServer.start(SCRIPT);
    const base = `sl:{${namespace}}`;
    let seq = 0;
    const first = SESSIONS.map((session) => ['attach', session, '1', LEASE, 'label', FORMAT]);
    for (const args of [...first, ...Array.from({ length: 2 * CALLS }, () => roundCalls(random, () => ++seq))]) {
      const there = answerOf(await command('EVAL', SCRIPT, ...keysOf(base), ...args));
      const here = answerOf(lua.call(1e9 + seq, base, args).reply);
      expect([args.join(' '), ...masked(here)]).toEqual([args.join(' '), ...masked(there)]);
    }
    expect(lua.violation).toBe('');
  });

  for (const sticky of ['0', '1']) {
    it(`answers like the server, ${sticky === '1' ? 'with' : 'without'} idle permits`, async ({
      command,
      namespace,
    }) => {
      const random = new Random(7);
      const lua = await LuaServer.start(SCRIPT);
      const base = `sl:{${namespace}}`;
      let seq = 0;
      const made = ['4', `${sticky} 0 0 0`];
      // One permit comes in 11 days, so no reply depends on the speed of the calls.
      const rated = ['4', '0 16000000000000 0 1'];
      const options = (): string[][] => {
        const session = random.pick(SESSIONS);
        const old = String(random.between(Math.max(1, seq - 8), Math.max(1, seq)));
        const n = String(random.between(1, 4));
        return [
          ['acquire', session, '1', 's:x', String(++seq), n, random.chance(70) ? '1' : '0', ...made],
          ['release', session, '1', 's:x', old, random.chance(80) ? '0' : '1'],
          ['cancel', session, '1', 's:x', old, n],
          ['beat', session, '1', LEASE, 's:x', old, n, '0', 's:x', String(seq), n, '1'],
          ['resize', session, '1', 's:y', n, ...made],
          ['poke', session, '1', 's:x'],
          [
            'acquire',
            session,
            '1',
            't:x',
            String(++seq),
            random.chance(70) ? n : String(2 ** 31 + Number(n)),
            random.chance(70) ? '1' : '0',
            ...rated,
          ],
          ['cancel', session, '1', 't:x', old, random.chance(70) ? n : String(2 ** 31 + Number(n))],
          ['settle', session, '1', 't:x', old, String(seq)],
          ['unbook', session, '1', 't:x', old],
          ['gauge', session, '1', 't:x'],
          ['acquire', session, '1', 'k:1:m:x', String(++seq), '1', random.chance(70) ? '1' : '0', '1', '0 0 0 0'],
          ['release', session, '1', 'k:1:m:x', old, '0'],
          ['cancel', session, '1', 'k:1:m:x', old, '1'],
          [
            'attempt',
            session,
            '1',
            'o:x',
            String(++seq),
            random.pick(['0', '1', '1']),
            random.chance(70) ? '1' : '0',
            '1',
            '0 0 0 0',
          ],
          ['release', session, '1', 'o:x', old, '0'],
          ['cancel', session, '1', 'o:x', old, random.pick(['0', '1', '1'])],
          ...(random.chance(10) ? [['finish', session, '1', 'o:x', old]] : []),
          ['keys', session, '1', 'k:1:m:'],
          ['mine', session, '1'],
          ['look', session, '1', 's:x'],
          random.chance(10) ? ['detach', session, '1'] : ['attach', session, '1', LEASE, 'label', FORMAT],
        ];
      };
      const first = SESSIONS.map((session) => ['attach', session, '1', LEASE, 'label', FORMAT]);
      for (const args of [...first, ...Array.from({ length: CALLS }, () => random.pick(options()))]) {
        const there = answerOf(await command('EVAL', SCRIPT, ...keysOf(base), ...args));
        const here = answerOf(lua.call(1e9 + seq, base, args).reply);
        expect([args.join(' '), ...masked(here)]).toEqual([args.join(' '), ...masked(there)]);
      }
    });
  }
});
