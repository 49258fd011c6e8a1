// Words of SQL. Every statement is ASCII without NUL, whatever its values are. So the encoding of the database does not
// matter, and a text may contain what Postgres cannot store.

const NOT_ASCII = /[^\x20-\x7e]/g;

function escaped(json: string): string {
  return json.replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a value as JSON in ASCII. */
export function jsonOf(value: unknown): string {
  return escaped(JSON.stringify(value));
}

/** Returns a text in ASCII, with the escapes of JSON. */
export function plainOf(text: string): string {
  return jsonOf(text).slice(1, -1);
}

/** Returns the text that `plainOf` made plain. */
export function textOf(plain: string): string {
  return JSON.parse(`"${plain}"`) as string;
}

/** A string constant. The text must be ASCII. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  // Whether a backslash escapes is a setting of the server, except behind an E.
  return text.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/** String constants, separated by commas. */
export function literals(texts: Iterable<string>): string {
  return [...texts].map(literal).join(', ');
}

/** A quoted name. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
