// @ts-check
// The parts of a declaration file: what it imports, what it exports, and its declarations, each with the names that it
// uses.
import { posix, relative, sep } from 'node:path';
import ts from 'typescript';
import { edited, editsOf, hasModifier } from './members.mjs';
import { declarationOf, exportedNames } from './names.mjs';

/**
 * What a name stands for in another file. `from`: a module of this package (its path below `src`, without extension),
 * or the name of another package.
 * @typedef {{ from: string, isOurs: boolean, name: string, isTypeOnly: boolean }} Binding
 *
 * @typedef {object} Statement
 * @property {readonly string[]} names that it declares; none: an augmentation of another package
 * @property {string} text without the comment before it
 * @property {string} comment the documentation before it, or ''
 * @property {ReadonlySet<string>} uses
 * @property {boolean} isExported
 * @property {boolean} isType it declares no value
 * @property {boolean} isClass
 * @property {boolean} isAbstract
 *
 * @typedef {object} Module
 * @property {readonly Statement[]} statements
 * @property {ReadonlyMap<string, Binding>} imports by local name
 * @property {ReadonlyMap<string, Binding | string>} exports by exported name; a string is a local name
 * @property {readonly { from: string, isOurs: boolean }[]} stars
 */

/**
 * Names that a node refers to: not those that it declares, and not those of members.
 * @param {ts.Node} node
 * @param {ReadonlySet<ts.Node>} dropped
 * @param {Set<string>} found
 */
function collectUses(node, dropped, found) {
  if (dropped.has(node)) return;
  if (ts.isIdentifier(node)) {
    const { parent } = node;
    const isDeclared = 'name' in parent && parent.name === node;
    const isMember =
      (ts.isQualifiedName(parent) && parent.right === node) ||
      (ts.isPropertyAccessExpression(parent) && parent.name === node);
    if (!isDeclared && !isMember) found.add(node.text);
  }
  ts.forEachChild(node, (child) => collectUses(child, dropped, found));
}

/** @param {ts.Statement} statement */
function namesOf(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  if (ts.isModuleDeclaration(statement)) return [];
  const { name } = /** @type {ts.DeclarationStatement} */ (statement);
  if (name === undefined) throw new Error(`a declaration without a name: ${statement.getText()}`);
  return [name.getText()];
}

/** What a step records (scripts/step-records.mjs) is for those that change it. */
const RECORD = /(?:\n \*)?\n \* @(?:step|takes) [\s\S]*\n \*\/$/;

/**
 * @param {ts.Statement} statement
 * @param {ts.SourceFile} file
 * @param {import('./members.mjs').Access} access
 * @returns {Statement}
 */
function read(statement, file, access) {
  const edits = ts.isClassDeclaration(statement) ? editsOf(statement, access) : [];
  /** @type {Set<string>} */
  const uses = new Set();
  collectUses(statement, new Set(edits.flatMap(({ dropped }) => dropped)), uses);
  const comments =
    ts.getLeadingCommentRanges(file.text, statement.pos)?.filter(({ pos }) => file.text.startsWith('/**', pos)) ?? [];
  const comment = comments.at(-1);
  return {
    names: namesOf(statement),
    text: edited(file.text.slice(statement.getStart(file), statement.end), statement.getStart(file), edits),
    comment: comment === undefined ? '' : `${file.text.slice(comment.pos, comment.end).replace(RECORD, '\n */')}\n`,
    uses,
    isExported: hasModifier(statement, ts.SyntaxKind.ExportKeyword),
    isType: ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement),
    isClass: ts.isClassDeclaration(statement),
    isAbstract: hasModifier(statement, ts.SyntaxKind.AbstractKeyword),
  };
}

/**
 * @param {string} path of the module below `src`
 * @param {ts.SourceFile} file
 * @returns {Omit<Module, 'statements'> & { declarations: ts.Statement[] }}
 */
function parse(path, file) {
  /** @type {ts.Statement[]} */
  const declarations = [];
  /** @type {Map<string, Binding>} */
  const imports = new Map();
  /** @type {Map<string, Binding | string>} */
  const exports = new Map();
  /** @type {{ from: string, isOurs: boolean }[]} */
  const stars = [];
  /** @param {ts.Expression} specifier */
  const place = (specifier) => {
    const name = /** @type {ts.StringLiteral} */ (specifier).text;
    return name.startsWith('.')
      ? { from: posix.join(posix.dirname(path), name).replace(/\.ts$/, ''), isOurs: true }
      : { from: name, isOurs: false };
  };
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      const { namedBindings, name, phaseModifier } = statement.importClause ?? {};
      if (name !== undefined) throw new Error(`${path}: imports a default`);
      if (namedBindings === undefined) continue;
      const from = place(statement.moduleSpecifier);
      const isTypeOnly = phaseModifier === ts.SyntaxKind.TypeKeyword;
      if (ts.isNamespaceImport(namedBindings)) imports.set(namedBindings.name.text, { ...from, name: '*', isTypeOnly });
      else
        for (const each of namedBindings.elements)
          imports.set(each.name.text, {
            ...from,
            name: (each.propertyName ?? each.name).text,
            isTypeOnly: isTypeOnly || each.isTypeOnly,
          });
    } else if (ts.isExportDeclaration(statement)) {
      const { moduleSpecifier, exportClause } = statement;
      if (exportClause === undefined && moduleSpecifier !== undefined) stars.push(place(moduleSpecifier));
      if (exportClause === undefined || !ts.isNamedExports(exportClause)) continue;
      for (const { name, propertyName, isTypeOnly } of exportClause.elements) {
        const from = (propertyName ?? name).text;
        exports.set(
          name.text,
          moduleSpecifier === undefined
            ? from
            : { ...place(moduleSpecifier), name: from, isTypeOnly: isTypeOnly || statement.isTypeOnly },
        );
      }
    } else {
      declarations.push(statement);
      if (hasModifier(statement, ts.SyntaxKind.ExportKeyword))
        for (const name of namesOf(statement)) exports.set(name, name);
    }
  }
  return { declarations, imports, exports, stars };
}

/**
 * @param {string} source the folder `src` of a package
 * @param {ReadonlyMap<string, string>} texts by source file
 * @param {readonly import('./entries.mjs').Entry[]} entries
 * @returns {Map<string, Module>} by path below `src`
 */
export function readModules(source, texts, entries) {
  const parsed = new Map(
    [...texts].flatMap(([name, text]) => {
      const path = relative(source, name).replaceAll(sep, '/').replace(/\.ts$/, '');
      if (path.startsWith('..')) return [];
      const file = ts.createSourceFile(`${path}.d.ts`, text, ts.ScriptTarget.Latest, true);
      return [/** @type {const} */ ([path, { file, ...parse(path, file) }])];
    }),
  );
  /**
   * A class that is exported as a type only has no subclasses.
   * @param {readonly import('./entries.mjs').Entry[]} some
   */
  const exportedBy = (some) =>
    new Set(
      some.flatMap(({ source: path }) =>
        exportedNames(parsed, path).filter((name) => declarationOf(parsed, path, name)?.isTypeOnly === false),
      ),
    );
  const access = { offered: exportedBy(entries), isPublic: exportedBy(entries.filter(({ isPublic }) => isPublic)) };
  return new Map(
    [...parsed].map(([path, { file, declarations, ...module }]) => [
      path,
      { ...module, statements: declarations.map((statement) => read(statement, file, access)) },
    ]),
  );
}
