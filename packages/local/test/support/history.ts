// Checks the file to which processes write when they take and give back.
//
//   line                meaning
//   + NAME PID TOKEN    the process has taken it
//   - NAME PID TOKEN    the process is about to give it back
//   ! PID               the process is about to be killed: from here on, others may have what it holds
//   ? PID               the process has learned that it lost its lease: others may have what it has not given back

const PERMITS: ReadonlyMap<string, number> = new Map([
  ['mutex', 1],
  ['key', 1],
  ['slots', 2],
]);

/** Returns what is wrong with the history, or '', and the number of takes. */
export function checkHistory(text: string): { readonly wrong: string; readonly takes: number } {
  const held = new Map<string, string>();
  const last = new Map<string, bigint>();
  const dead = new Set<string>();
  const lines = text.split('\n');
  const lost = new Set(lines.filter((line) => line.startsWith('? ')).map((line) => line.slice(2)));
  const givenBack = new Set(lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2)));
  let takes = 0;
  for (const [i, line] of lines.entries()) {
    const [what = '', name = '', pid = '', token = ''] = line.split(' ');
    if (what === '!') {
      dead.add(name);
      for (const [key, owner] of [...held]) if (owner === name) held.delete(key);
    } else if (what === '+') {
      takes++;
      if (dead.has(pid)) continue;
      // The history does not tell when this hold ended.
      if (lost.has(pid) && !givenBack.has(`${name} ${pid} ${token}`)) continue;
      held.set(`${name} ${token}`, pid);
      const holders = [...held.keys()].filter((key) => key.startsWith(`${name} `)).length;
      if (holders > (PERMITS.get(name) ?? 0)) return { wrong: `line ${i}: ${holders} hold ${name}`, takes };
      // Of a mutex, the tokens grow from holder to holder.
      if (PERMITS.get(name) === 1 && BigInt(token) <= (last.get(name) ?? 0n))
        return { wrong: `line ${i}: token ${token} of ${name} after ${last.get(name)}`, takes };
      last.set(name, BigInt(token));
    } else if (what === '-' && !dead.has(pid) && !held.delete(`${name} ${token}`)) {
      return { wrong: `line ${i}: ${pid} gives back ${name} ${token}, which it does not hold`, takes };
    }
  }
  return { wrong: '', takes };
}
