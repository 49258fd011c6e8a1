// Finds the place where a mutant changes the source: a syntax node in a named declaration. White space, comments,
// trailing commas, the rest of the declaration and the name of the file do not matter.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { Edit } from './mutants.ts';

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url));

/** A declaration in the sources of a package. */
export interface Declaration {
  readonly path: string;
  readonly source: ts.SourceFile;
  readonly node: ts.Node;
}

/** A part of a text: `[from, to)`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const texts = new Map<string, string>();
const parsed = new Map<string, ts.SourceFile>();

function sourceFiles(): ReadonlyMap<string, string> {
  if (texts.size === 0) {
    for (const name of readdirSync(PACKAGES)) {
      const folder = join(PACKAGES, name, 'src');
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (file.endsWith('.ts') && !file.endsWith('.d.ts'))
          texts.set(join(folder, file), readFileSync(join(folder, file), 'utf8'));
      }
    }
  }
  return texts;
}

function parse(path: string, text: string): ts.SourceFile {
  const source = parsed.get(path) ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  parsed.set(path, source);
  return source;
}

/**
 * Returns the functions, classes, variables and imports of a module by name. A member of a class has the name
 * `Class.member`. An import has a name such as `import ./words.ts`.
 */
export function declarationsOf(source: ts.SourceFile): ReadonlyMap<string, ts.Node> {
  const found = new Map<string, ts.Node>();
  const add = (name: ts.Node | undefined, node: ts.Node, owner = ''): void => {
    // The last overload has the body.
    if (name !== undefined) found.set(owner + name.getText(source), node);
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement))
      for (const each of statement.declarationList.declarations) add(each.name, each);
    else if (ts.isFunctionDeclaration(statement)) add(statement.name, statement);
    else if (ts.isImportDeclaration(statement))
      found.set(`import ${statement.moduleSpecifier.getText(source).slice(1, -1)}`, statement);
    else if (ts.isClassDeclaration(statement)) {
      add(statement.name, statement);
      const owner = `${statement.name?.text ?? ''}.`;
      for (const member of statement.members)
        add(ts.isConstructorDeclaration(member) ? member.getFirstToken(source) : member.name, member, owner);
    }
  }
  return found;
}

/**
 * Returns a pattern that matches the text of each file with that declaration. It excludes the files that only use the
 * name, because parsing them all would take longer than most mutants.
 */
function signOf(name: string): RegExp {
  const [first = '', member] = name.startsWith('import ') ? [] : name.split('.');
  const sign =
    first === ''
      ? name.slice('import '.length).replaceAll('.', String.raw`\.`)
      : String.raw`\b(function\*?|class|const|let) +${first}\b`;
  return member === undefined ? new RegExp(sign) : new RegExp(String.raw`\bclass +${first}\b`);
}

/** Whether a source belongs to a package with steps of its own. Most mutants change such a package. */
function hasSteps(path: string): boolean {
  const [name = ''] = path.slice(PACKAGES.length).split(sep);
  return existsSync(join(PACKAGES, name, 'src/kernel'));
}

/**
 * Returns the declaration that an edit names. One in a package with steps goes before those in other packages. Throws
 * unless there is exactly one.
 */
export function declarationOf(edit: Edit, mutant: string): Declaration {
  const sign = signOf(edit.in);
  const found: Declaration[] = [];
  for (const [path, text] of sourceFiles()) {
    if ((edit.file !== undefined && !path.endsWith(`/${edit.file}`)) || !sign.test(text)) continue;
    const source = parse(path, text);
    const node = declarationsOf(source).get(edit.in);
    if (node !== undefined) found.push({ path, source, node });
  }
  const first = found.some(({ path }) => hasSteps(path)) ? found.filter(({ path }) => hasSteps(path)) : found;
  const [one, ...others] = first;
  if (one !== undefined && others.length === 0) return one;
  const where = first.map(({ path }) => path.slice(PACKAGES.length)).join(', ');
  throw new Error(
    `Mutant "${mutant}": ${edit.in} is declared in ${first.length} files${where === '' ? '' : `: ${where}`}. Expected one.`,
  );
}

interface Token extends Span {
  readonly text: string;
}

const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);

function tokensOf(node: ts.Node, source: ts.SourceFile): Token[] {
  const tokens: Token[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isJSDoc(each)) return;
    const children = each.getChildren(source);
    if (children.length > 0) for (const child of children) visit(child);
    else if (each.getWidth(source) > 0)
      tokens.push({ text: each.getText(source), from: each.getStart(source), to: each.getEnd() });
  };
  visit(node);
  // The formatter writes a trailing comma in a list that takes several lines.
  return tokens.filter(({ text }, index) => text !== ',' || !CLOSING.has(tokens[index + 1]?.text ?? ''));
}

function textsOf(find: string): readonly string[] {
  const source = ts.createSourceFile('find.ts', find, ts.ScriptTarget.Latest, true);
  return tokensOf(source, source).map(({ text }) => text);
}

/** Returns whether the span is one node, or several neighbours below one node. */
function isWhole(root: ts.Node, { from, to }: Span, source: ts.SourceFile): boolean {
  const children = root.getChildren(source).filter((child) => child.getWidth(source) > 0);
  const inner = children.find((child) => child.getStart(source) <= from && child.getEnd() >= to);
  if (inner !== undefined && !(inner.getStart(source) === from && inner.getEnd() === to))
    return isWhole(inner, { from, to }, source);
  return children.some((child) => child.getStart(source) === from) && children.some((child) => child.getEnd() === to);
}

/** Returns the places of the nodes of `find` in the declaration. */
export function placesOf(find: string, { node, source }: Pick<Declaration, 'node' | 'source'>): readonly Span[] {
  const wanted = textsOf(find);
  const tokens = tokensOf(node, source);
  return tokens.flatMap((token, index) => {
    const last = tokens[index + wanted.length - 1];
    if (last === undefined || !wanted.every((text, ahead) => tokens[index + ahead]?.text === text)) return [];
    const span = { from: token.from, to: last.to };
    return isWhole(node.parent, span, source) ? [span] : [];
  });
}

/** Returns the place of an edit. Throws unless the nodes occur exactly once. */
export function placeOf(edit: Edit, declaration: Declaration, mutant: string): Span {
  const [place, ...others] = placesOf(edit.find, declaration);
  if (place !== undefined && others.length === 0) return place;
  throw new Error(
    `Mutant "${mutant}": expected \`${edit.find}\` exactly once in ${edit.in}, found it ${others.length + (place === undefined ? 0 : 1)} times.`,
  );
}
