// Rows as SVG text. Colours are CSS variables with defaults, so a page may set its own for light and for dark.

import type { Mark, Row } from './rows.ts';

export interface Style {
  /** CSS pixels. */
  readonly width: number;
  /** How many rows stand side by side, at most. */
  readonly columns: number;
  /** What a thread is called, in a few letters. */
  readonly label: (agent: number) => string;
  /** A CSS colour. */
  readonly colour: (agent: number) => string;
}

const CHIP = { width: 46, height: 26, gap: 6 };
const HEAD = 20;
/** Below a chip: how long it has been there. */
const FOOT = 16;
const LINE = CHIP.height + FOOT;
const ROW_GAP = 12;
const COLUMN_GAP = 20;
/** A holder and three waiters. */
const MIN_COLUMN = 4 * (CHIP.width + CHIP.gap) + 20;
const ARROW = 22;

const INK = 'var(--sluice-ink, currentColor)';
const MUTED = 'var(--sluice-muted, #6b7280)';
const LINE_COLOUR = 'var(--sluice-line, #d1d5db)';
const ON_CHIP = 'var(--sluice-on-chip, #fff)';

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
export function summary({ name, kind, holders, waiters, closed }: Row, { label }: Style): string {
  const list = (marks: readonly Mark[]): string => marks.map(({ agent }) => label(agent)).join(', ');
  const held =
    holders.length > 0
      ? [`held by ${list(holders)}`]
      : waiters.length === 0
        ? [WITHOUT_HOLDERS.has(kind) ? 'no waiters' : 'free']
        : [];
  const waiting = waiters.length === 0 ? [] : [`waiting: ${list(waiters)}`];
  return `${name === '' ? kind : name}: ${closed ? 'closed, ' : ''}${[...held, ...waiting].join('; ')}.`;
}

function drawRow(
  row: Row,
  x: number,
  y: number,
  width: number,
  style: Style,
): { readonly text: string; readonly height: number } {
  const about = [
    ...(row.name.endsWith(row.kind) || row.name === '' ? [] : [row.kind]),
    ...(row.closed ? ['closed'] : []),
  ].join(', ');
  const title = `<text x="0" y="${y + 12}" font-size="12" font-weight="600" fill="${INK}">${escape(row.name === '' ? row.kind : row.name)}${
    about === '' ? '' : `<tspan dx="6" font-weight="400" fill="${MUTED}">${escape(about)}</tspan>`
  }</text>`;
  const top = y + HEAD;
  const slots = Math.max(1, row.holders.length);
  const holders = row.holders.map((mark, n) => chip(mark, n * (CHIP.width + CHIP.gap), top, style)).join('');
  const isFree = row.waiters.length === 0 && !WITHOUT_HOLDERS.has(row.kind);
  const free = row.holders.length === 0 ? empty(top, isFree ? 'free' : '–') : '';
  const left = slots * (CHIP.width + CHIP.gap) - CHIP.gap + ARROW;
  const each = CHIP.width + CHIP.gap;
  const perLine = Math.max(1, Math.floor((width - left + CHIP.gap) / each));
  const waiters = row.waiters
    .map((mark, n) => chip(mark, left + (n % perLine) * each, top + Math.floor(n / perLine) * LINE, style))
    .join('');
  const middle = top + CHIP.height / 2;
  const tip = left - ARROW + 6;
  const arrow =
    row.waiters.length === 0
      ? ''
      : `<path d="M${left - 5} ${middle}H${tip}m4-4l-4 4l4 4" fill="none" stroke="${MUTED}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`;
  const lines = Math.max(1, Math.ceil(row.waiters.length / perLine));
  return {
    text: `<g${x === 0 ? '' : ` transform="translate(${x} 0)"`}>${title}${free}${holders}${arrow}${waiters}</g>`,
    height: HEAD + lines * LINE,
  };
}

/** In the place of a holder. Not every primitive has holders: waiters at a buffer wait for values or for room. */
function empty(y: number, text: string): string {
  return `<rect x="0.75" y="${y + 0.75}" width="${CHIP.width - 1.5}" height="${CHIP.height - 1.5}" rx="7" fill="none" stroke="${LINE_COLOUR}" stroke-width="1.5" stroke-dasharray="4 3"/><text x="${CHIP.width / 2}" y="${y + CHIP.height / 2 + 4}" font-size="11" text-anchor="middle" fill="${MUTED}">${text}</text>`;
}

function chip({ agent, permits, ms, isAsync }: Mark, x: number, y: number, { label, colour }: Style): string {
  const text = `${label(agent)}${permits > 1 ? ` ×${permits}` : ''}`;
  const edge = isAsync ? ` stroke="${INK}" stroke-width="1.5" stroke-dasharray="3 2"` : '';
  const since =
    ms === undefined
      ? ''
      : `<text x="${x + CHIP.width / 2}" y="${y + CHIP.height + 12}" font-size="11" text-anchor="middle" fill="${MUTED}">${duration(ms)}</text>`;
  return `<rect x="${x}" y="${y}" width="${CHIP.width}" height="${CHIP.height}" rx="7" fill="${escape(colour(agent))}"${edge}/><text x="${x + CHIP.width / 2}" y="${y + CHIP.height / 2 + 4}" font-size="12" font-weight="600" text-anchor="middle" fill="${ON_CHIP}">${escape(text)}</text>${since}`;
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
