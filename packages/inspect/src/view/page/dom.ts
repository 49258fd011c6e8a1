// Elements of the page.

/** Throws if the document has no such element, which is a mistake of the page. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`The page has no ${id}.`);
  return element;
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  if (text !== '') element.textContent = text;
  return element;
}

/** Writes the text only if it has changed. Otherwise a selection and a screen reader's place would be lost. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
