// A few lines instead of a framework.

type Child = Node | string;

export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Writes only what changed, so that a reader can select text that stays. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export const colourOf = (worker: number): string => `var(--w${worker + 1})`;
export const labelOf = (worker: number): string => `W${worker + 1}`;

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
/** Every digit up to six of them. */
export const count = (value: number): string => (value < 1_000_000 ? whole.format(value) : short.format(value));
export const rate = (value: number): string => short.format(value);
