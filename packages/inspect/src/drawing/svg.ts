// Rows as SVG text. Colours are CSS variables with defaults, so a page may set its own for light and for dark.

import type { AgentMark, Row } from './rows.ts';

export interface Style {
  /** CSS pixels. */
  readonly width: number;
  /** How many rows stand side by side, at most. */
  readonly columns: number;
  /** What a thread is called, in a few letters. */
  readonly label: (agent: number) => string;
  /** What a pointer over its chip shows, or '' for nothing. */
  readonly title: (agent: number) => string;
  /** A CSS colour. */
  readonly colour: (agent: number) => string;
}

const CHIP = { width: 46, height: 26, gap: 6 };
const EACH = CHIP.width + CHIP.gap;
const HEAD = 20;
/** Below a chip: how long it has been there. */
const FOOT = 18;
const LINE = CHIP.height + FOOT;
const ROW_GAP = 12;
const COLUMN_GAP = 20;
/** A holder and three waiters. */
const MIN_COLUMN = 4 * EACH + 20;
/** Between the holders and the waiters: the gate. */
const GATE = { width: 26, at: 7, thick: 4 };
/** From the top of the chips up to the bracket of a platoon. */
const BRACKET = 4;

const INK = 'var(--sluice-ink, currentColor)';
const MUTED = 'var(--sluice-muted, #6b7280)';
const LINE_COLOUR = 'var(--sluice-line, #d1d5db)';
const ON_CHIP = 'var(--sluice-on-chip, #fff)';
const BAD = 'var(--sluice-bad, #c0221a)';

/** Threads wait at these, and hold none of them. */
const WITHOUT_HOLDERS = new Set(['buffer', 'event', 'latch']);

export function svgOf(rows: readonly Row[], style: Style): string {
  const columns = Math.max(
    1,
    Math.min(style.columns, Math.floor((style.width + COLUMN_GAP) / (MIN_COLUMN + COLUMN_GAP))),
  );
  const width = (style.width + COLUMN_GAP) / columns - COLUMN_GAP;
  let y = 0;
  const parts: string[] = [];
  for (let first = 0; first < rows.length; first += columns) {
    const line = rows
      .slice(first, first + columns)
      .map((row, column) => drawRow(row, column * (width + COLUMN_GAP), y, width, style));
    parts.push(...line.map(({ text }) => text));
    y += Math.max(...line.map(({ height }) => height)) + ROW_GAP;
  }
  const height = Math.max(1, y - ROW_GAP);
  const about = escape(rows.map((row) => summary(row, style)).join(' '));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${style.width}" height="${height}" viewBox="0 0 ${style.width} ${height}" role="img" aria-label="${about}" font-family="inherit">${parts.join('')}</svg>`;
}

/** The row in words, for readers who do not see it. */
export function summary(row: Row, { label }: Pick<Style, 'label'>): string {
  const { name, kind, holders, waiters, moreHolders, moreWaiters, closed, cycle } = row;
  const list = (marks: readonly AgentMark[], more: number): string => {
    const named = marks.map(({ agent, isDead }) => `${label(agent)}${isDead ? ' (dead)' : ''}`).join(', ');
    return more === 0 ? named : `${named} and ${more} more`;
  };
  const held =
    holders.length > 0
      ? [`held by ${list(holders, moreHolders)}`]
      : waiters.length === 0
        ? [WITHOUT_HOLDERS.has(kind) ? 'no waiters' : 'free']
        : [];
  const waiting = waiters.length === 0 ? [] : [`waiting: ${list(waiters, moreWaiters)}`];
  const facts = [...held, ...waiting, ...passage(row, label)];
  return `${name === '' ? kind : name}: ${cycleText(cycle)}${closed ? 'closed, ' : ''}${facts.join('; ')}.`;
}

function cycleText(cycle: Row['cycle']): string {
  if (cycle === '') return '';
  return cycle === 'certain' ? 'in a deadlock, ' : 'in a possible deadlock, ';
}

/** Turns and platoons in words. */
function passage({ turn, platoon }: Row, label: Style['label']): string[] {
  return [
    ...(turn === undefined || turn.of === 0 ? [] : [`turn of ${label(turn.of)}`]),
    ...(platoon === undefined ? [] : [`platoons of ${platoon.limit}, ${platoon.left} to leave`]),
  ];
}

function drawRow(
  row: Row,
  x: number,
  y: number,
  width: number,
  style: Style,
): { readonly text: string; readonly height: number } {
  const top = y + HEAD;
  const holders = row.holders.map((mark, n) => chip(mark, n * EACH, top, style)).join('');
  const isFree = row.waiters.length === 0 && !WITHOUT_HOLDERS.has(row.kind);
  const free = row.holders.length === 0 ? empty(top, isFree ? 'free' : '–') : '';
  const inside = Math.max(1, row.holders.length);
  const moreHolders = more(row.moreHolders, inside * EACH, top);
  const gateAt = (inside + (row.moreHolders > 0 ? 1 : 0)) * EACH - CHIP.gap;
  const left = gateAt + GATE.width;
  const perLine = Math.max(1, Math.floor((width - left + CHIP.gap) / EACH));
  const placeOf = (n: number): { readonly x: number; readonly y: number } => ({
    x: left + (n % perLine) * EACH,
    y: top + Math.floor(n / perLine) * LINE,
  });
  const waiters = row.waiters.map((mark, n) => chip(mark, placeOf(n).x, placeOf(n).y, style)).join('');
  const rest = placeOf(row.waiters.length);
  const shown = row.waiters.length + (row.moreWaiters > 0 ? 1 : 0);
  const brackets = row.platoon === undefined ? '' : platoons(row.waiters.length, row.platoon.limit, perLine, placeOf);
  const lines = Math.max(1, Math.ceil(shown / perLine));
  return {
    text: `<g${x === 0 ? '' : ` transform="translate(${x} 0)"`}>${headOf(row, y, width, style)}${free}${holders}${moreHolders}${gate(row, gateAt, top)}${brackets}${waiters}${more(row.moreWaiters, rest.x, rest.y)}</g>`,
    height: HEAD + lines * LINE,
  };
}

/** CSS pixels of a letter of a head, at most for nearly all texts. */
const LETTER = { bold: 7.4, plain: 6.6 };

function headOf(row: Row, y: number, width: number, { label }: Style): string {
  const about = [
    ...(row.name.endsWith(row.kind) || row.name === '' ? [] : [row.kind]),
    ...(row.closed ? ['closed'] : []),
    ...passage(row, label),
  ].join(', ');
  const cycle = row.cycle === '' ? '' : row.cycle === 'certain' ? 'deadlock' : 'possible deadlock';
  let left = width - cycle.length * LETTER.plain;
  const fit = (text: string, letter: number): string => {
    const cut = shorten(text, Math.floor(left / letter));
    left -= cut.length * letter + 6;
    return escape(cut);
  };
  const title = fit(row.name === '' ? row.kind : row.name, LETTER.bold);
  const part = (text: string, colour: string): string =>
    text === '' ? '' : `<tspan dx="6" font-weight="400" fill="${colour}">${text}</tspan>`;
  return `<text x="0" y="${y + 12}" font-size="12" font-weight="600" fill="${INK}">${title}${part(fit(about, LETTER.plain), MUTED)}${part(cycle, BAD)}</text>`;
}

/** Returns at most that many letters. */
function shorten(text: string, most: number): string {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  return most < 2 ? '' : `${letters.slice(0, most - 1).join('')}…`;
}

/** Posts, and a board between them: down while an agent has to wait, up while the next one may pass. */
function gate({ holders, waiters, cycle }: Row, x: number, y: number): string {
  const isShut = waiters.length > 0;
  const colour = cycle === '' ? (isShut ? INK : holders.length > 0 ? MUTED : LINE_COLOUR) : BAD;
  const middle = x + GATE.at + GATE.thick / 2;
  const post = `M${middle - 5} ${y}h10M${middle - 5} ${y + CHIP.height}h10`;
  const board = isShut ? CHIP.height - 4 : CHIP.height / 3;
  const tip = x + GATE.width - 6;
  const arrow = isShut ? `M${tip} ${y + CHIP.height / 2 - 4}l-4 4l4 4` : '';
  return `<path d="${post}${arrow}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/><path d="M${x + GATE.at} ${y + 2}h${GATE.thick}v${board}h-${GATE.thick}z" fill="${colour}"/>`;
}

/** Brackets above the waiters that will enter together. */
function platoons(
  waiters: number,
  limit: number,
  perLine: number,
  placeOf: (n: number) => { readonly x: number; readonly y: number },
): string {
  const parts: string[] = [];
  for (let first = 0; first < waiters; ) {
    // A platoon goes on in the next line.
    const end = Math.min(waiters, (Math.floor(first / limit) + 1) * limit, (Math.floor(first / perLine) + 1) * perLine);
    const [from, to] = [placeOf(first), placeOf(end - 1)];
    const down = (isEnd: boolean): string => (isEnd ? 'v3' : '');
    const starts = first % limit === 0;
    const ends = end % limit === 0 || end === waiters;
    parts.push(
      `M${from.x + 1} ${from.y - BRACKET + (starts ? 3 : 0)}${starts ? 'v-3' : ''}H${to.x + CHIP.width - 1}${down(ends)}`,
    );
    first = end;
  }
  return parts.length === 0
    ? ''
    : `<path d="${parts.join('')}" fill="none" stroke="${MUTED}" stroke-width="1.5" stroke-linejoin="round"/>`;
}

/** In the place of a holder. Not every primitive has holders: waiters at a buffer wait for values or for room. */
function empty(y: number, text: string): string {
  return `<rect x="0.75" y="${y + 0.75}" width="${CHIP.width - 1.5}" height="${CHIP.height - 1.5}" rx="7" fill="none" stroke="${LINE_COLOUR}" stroke-width="1.5" stroke-dasharray="4 3"/><text x="${CHIP.width / 2}" y="${y + CHIP.height / 2 + 4}" font-size="11" text-anchor="middle" fill="${MUTED}">${text}</text>`;
}

/** How many agents are not shown, in the place of a chip. */
function more(count: number, x: number, y: number): string {
  if (count === 0) return '';
  return `<text x="${x + CHIP.width / 2}" y="${y + CHIP.height / 2 + 4}" font-size="12" text-anchor="middle" fill="${MUTED}">+${count}</text>`;
}

function chip(mark: AgentMark, x: number, y: number, { label, title, colour }: Style): string {
  const { agent, permits, ms, isAsync, isDead, cycle } = mark;
  const text = `${label(agent)}${permits > 1 ? ` ×${permits}` : ''}${isDead ? ' ✕' : ''}`;
  const edge =
    cycle !== ''
      ? ` stroke="${BAD}" stroke-width="3"${cycle === 'possible' ? ' stroke-dasharray="5 3"' : ''}`
      : isAsync
        ? ` stroke="${INK}" stroke-width="1.5" stroke-dasharray="3 2"`
        : '';
  const about = title(agent);
  const since =
    ms === undefined
      ? ''
      : `<text x="${x + CHIP.width / 2}" y="${y + CHIP.height + 12}" font-size="11" text-anchor="middle" fill="${cycle === '' ? MUTED : BAD}">${duration(ms)}</text>`;
  const drawn = `<rect x="${x}" y="${y}" width="${CHIP.width}" height="${CHIP.height}" rx="7" fill="${isDead ? MUTED : escape(colour(agent))}"${edge}/><text x="${x + CHIP.width / 2}" y="${y + CHIP.height / 2 + 4}" font-size="12" font-weight="600" text-anchor="middle" fill="${ON_CHIP}">${escape(text)}</text>${since}`;
  return about === '' ? drawn : `<g><title>${escape(about)}</title>${drawn}</g>`;
}

/** In the width of a chip. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
