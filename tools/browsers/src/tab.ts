// The one tab of a browser, as tests use it.

export interface Tab {
  readonly version: string;
  /** Loads the page in the tab, in place of the page before. */
  visit(url: string): Promise<void>;
  /** The lines that pages wrote to the console since the last call, where the browser tells. */
  said(): string[];
  /** The text that the page shows, or one element of it. Throws if there is no such element. */
  text(selector?: string): Promise<string>;
  click(selector: string): Promise<void>;
  /** The value of an expression in the page, as JSON has it. */
  value(expression: string): Promise<unknown>;
  /** In CSS pixels. WebKitGTK's window may stay wider than that: its toolbar has a least width. */
  resize(width: number, height: number): Promise<void>;
  close(): Promise<void>;
}
