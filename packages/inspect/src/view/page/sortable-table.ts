// A table that is sorted by the column whose head was pressed. Rows keep their elements from one frame to the next, so
// the focus stays where it is.

import { make, say } from './dom.ts';

export interface Column<T> {
  readonly title: string;
  /** What rows are sorted by. */
  readonly by: (row: T) => number | string;
  readonly text: (row: T) => string;
  /** Numbers stand on the right, and sort from the largest one first. */
  readonly isNumber?: boolean;
  readonly isWide?: boolean;
}

export interface TableSpec<T> {
  /** The first one names the row. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => number;
  readonly classOf: (row: T) => string;
  /** What the name's button does, for a screen reader. */
  readonly choice: (row: T) => string;
  readonly onChoose: (row: T) => void;
}

interface Line<T> {
  readonly element: HTMLTableRowElement;
  readonly name: HTMLButtonElement;
  readonly cells: readonly HTMLElement[];
  row: T;
}

export class SortableTable<T> {
  readonly #spec: TableSpec<T>;
  readonly #body = make('tbody');
  readonly #heads: readonly HTMLTableCellElement[];
  readonly #lines = new Map<number, Line<T>>();
  #rows: readonly T[] = [];
  #column = 0;
  #isDown = false;

  constructor(table: HTMLTableElement, spec: TableSpec<T>) {
    this.#spec = spec;
    this.#heads = spec.columns.map(({ title, isNumber = false }, index) => {
      const head = make('th', isNumber ? 'number' : '');
      head.scope = 'col';
      const button = make('button', '', title);
      button.type = 'button';
      button.addEventListener('click', () => this.#sortBy(index));
      head.append(button);
      return head;
    });
    const line = make('tr');
    line.append(...this.#heads);
    const head = make('thead');
    head.append(line);
    table.append(head, this.#body);
    this.#tellOrder();
  }

  show(rows: readonly T[]): void {
    this.#rows = rows;
    const { keyOf, classOf, columns, choice } = this.#spec;
    const focused = document.activeElement;
    const seen = new Set<number>();
    this.sorted(rows).forEach((row, place) => {
      const key = keyOf(row);
      seen.add(key);
      const line = this.#lines.get(key) ?? this.#add(key, row);
      line.row = row;
      if (line.element.className !== classOf(row)) line.element.className = classOf(row);
      columns.forEach((column, index) =>
        say(index === 0 ? line.name : (line.cells[index - 1] ?? line.name), column.text(row)),
      );
      if (line.name.title !== choice(row)) line.name.title = choice(row);
      const there = this.#body.children[place];
      if (there !== line.element) this.#body.insertBefore(line.element, there ?? null);
    });
    for (const [key, { element }] of this.#lines) {
      if (seen.has(key)) continue;
      element.remove();
      this.#lines.delete(key);
    }
    // A row that moved has lost the focus.
    if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
      focused.focus({ preventScroll: true });
  }

  /** Returns the rows in the chosen order. Equal rows keep their old order. */
  sorted(rows: readonly T[]): readonly T[] {
    const by = this.#spec.columns[this.#column]?.by;
    if (by === undefined) return rows;
    const sign = this.#isDown ? -1 : 1;
    return [...rows].sort((a, b) => {
      const [x, y] = [by(a), by(b)];
      const order = typeof x === 'string' && typeof y === 'string' ? compare(x, y) : Number(x) - Number(y);
      return sign * order;
    });
  }

  #add(key: number, row: T): Line<T> {
    const element = make('tr');
    const name = make('button');
    name.type = 'button';
    const head = make('th');
    head.scope = 'row';
    head.append(name);
    const cells = this.#spec.columns
      .slice(1)
      .map(({ isNumber = false, isWide = false }) => make('td', isNumber ? 'number' : isWide ? 'wide' : ''));
    element.append(head, ...cells);
    const line: Line<T> = { element, name, cells, row };
    name.addEventListener('click', () => this.#spec.onChoose(line.row));
    this.#lines.set(key, line);
    return line;
  }

  #sortBy(index: number): void {
    this.#isDown = index === this.#column ? !this.#isDown : this.#spec.columns[index]?.isNumber === true;
    this.#column = index;
    this.#tellOrder();
    this.show(this.#rows);
    this.onSort();
  }

  /** Called when another order was chosen. */
  onSort: () => void = () => undefined;

  #tellOrder(): void {
    this.#heads.forEach((head, index) => {
      if (index !== this.#column) head.removeAttribute('aria-sort');
      else head.setAttribute('aria-sort', this.#isDown ? 'descending' : 'ascending');
    });
  }
}

const collator = new Intl.Collator('en', { numeric: true });
const compare = (a: string, b: string): number => collator.compare(a, b);
