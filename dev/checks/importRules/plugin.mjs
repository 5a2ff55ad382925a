/**
 * The import rules as an oxlint plugin; CONTRIBUTING.md describes them. `import-boundaries` and
 * `no-import-cycle` check all forms of an import, `env-in-config` and `pure-logic` every use of a global,
 * `scoped-collections` every collection that a service opens by itself.
 */
import path from 'node:path';
import {
  isRelative,
  judgeImport,
  mayOpenCollections,
  resolveRelative,
  withoutExtension,
  workspaceFolder,
} from './boundaries.mjs';
import { judgeEnvironment, judgePurity } from './globals.mjs';

/**
 * @typedef {Parameters<import('oxlint/plugins-dev').RuleTester['run']>[1]} Rule
 * @typedef {Parameters<NonNullable<Rule['create']>>[0]} Context
 * @typedef {ReturnType<NonNullable<Rule['create']>>} Visitor
 * @typedef {NonNullable<Context['sourceCode']['scopeManager']['globalScope']>['through'][number]} Reference
 * @typedef {Reference['identifier']['parent']} Node
 */

const root = path.resolve(import.meta.dirname, '../../..');

/** @param {Context} context */
function repositoryPath(context) {
  return path.relative(root, context.filename).split(path.sep).join('/');
}

/**
 * A visitor that calls `visit` for every module the file names: `import`, `import type`, `export … from`,
 * `import()`, `require()`, `import x = require()` and `import('…')` in a type.
 * @param {(node: Node, specifier: string | undefined) => void} visit receives undefined for a computed
 * specifier
 * @returns {Visitor}
 */
function importVisitor(visit) {
  /** @param {Node | null} source */
  const visitSource = (source) => {
    if (source !== null) visit(source, literalText(source));
  };
  return {
    ImportDeclaration: ({ source }) => visitSource(source),
    ExportNamedDeclaration: ({ source }) => visitSource(source),
    ExportAllDeclaration: ({ source }) => visitSource(source),
    ImportExpression: ({ source }) => visitSource(source),
    TSImportType: ({ source }) => visitSource(source),
    TSExternalModuleReference: ({ expression }) => visitSource(expression),
    CallExpression(node) {
      const { callee, parent } = node;
      const [source] = node.arguments;
      if (callee.type !== 'Identifier') return;
      if (callee.name === 'require') visit(node, source && literalText(source));
      // A locally defined `require` may look up a path; its other uses could not be followed.
      if (callee.name === 'createRequire' && parent.type !== 'MemberExpression') visit(node, undefined);
    },
  };
}

/**
 * The text of a string literal, or of a template that has no placeholder.
 * @param {Node} node
 */
function literalText(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.quasis.length === 1)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/**
 * Whether the module is named by an `import type … from`.
 * @param {Node} source
 */
function isTypeImport({ parent }) {
  return parent?.type === 'ImportDeclaration' && parent.importKind === 'type';
}

/** @type {Rule} */
const importBoundaries = {
  create(context) {
    const file = repositoryPath(context);
    if (workspaceFolder(file) === undefined) return {};
    return importVisitor((node, specifier) => {
      const message =
        specifier === undefined
          ? 'An import names its module by a plain string.'
          : judgeImport(file, specifier, isTypeImport(node));
      if (message !== undefined) context.report({ node, message });
    });
  },
};

/** @type {Rule} */
const scopedCollections = {
  create(context) {
    if (mayOpenCollections(repositoryPath(context))) return {};
    return {
      CallExpression({ callee }) {
        if (callee.type !== 'MemberExpression') return;
        const { property, computed } = callee;
        const name = property.type === 'Identifier' && !computed ? property.name : literalText(property);
        if (name !== 'collection' && name !== 'collections') return;
        const message =
          'A store reads and writes through RecordStore, ScopedCollection or PlatformCollection.';
        context.report({ node: callee, message });
      },
    };
  },
};

/**
 * The imports of each module checked so far. oxlint runs a plugin on one thread, so that the file that closes
 * a cycle is checked when the rest of the cycle is already here. The cycle is reported in that file.
 * @type {Map<string, ReadonlySet<string>>}
 */
const importsByModule = new Map();

/** @type {Rule} */
const noImportCycle = {
  create(context) {
    const module = withoutExtension(repositoryPath(context));
    /** @type {Map<string, Node>} */
    const imports = new Map();
    return {
      ...importVisitor((node, specifier) => {
        if (specifier !== undefined && isRelative(specifier))
          imports.set(resolveRelative(module, specifier), node);
      }),
      'Program:exit'() {
        importsByModule.set(module, new Set(imports.keys()));
        for (const [imported, node] of imports) {
          const way = findWay(imported, module);
          if (way !== undefined)
            context.report({ node, message: `Import cycle: ${[module, ...way].join(' → ')}.` });
        }
      },
    };
  },
};

/**
 * The modules on a path of imports, both ends included; undefined if there is none.
 * @param {string} from
 * @param {string} to
 * @param {Set<string>} [visited]
 * @returns {string[] | undefined}
 */
function findWay(from, to, visited = new Set()) {
  if (from === to) return [to];
  if (visited.has(from)) return undefined;
  visited.add(from);
  for (const next of importsByModule.get(from) ?? []) {
    const way = findWay(next, to, visited);
    if (way !== undefined) return [from, ...way];
  }
  return undefined;
}

/**
 * A rule that judges every use of a global variable in a file.
 * @param {(file: string, use: import('./globals.mjs').GlobalUse) => string | undefined} judge
 * @returns {Rule}
 */
function globalRule(judge) {
  return {
    create(context) {
      const file = repositoryPath(context);
      return {
        'Program:exit'() {
          for (const { identifier } of globalReferences(context)) {
            const message = judge(file, describeUse(identifier));
            if (message !== undefined) context.report({ node: identifier, message });
          }
        },
      };
    },
  };
}

/**
 * The references to names that the file itself does not declare.
 * @param {Context} context
 * @returns {Reference[]}
 */
function globalReferences(context) {
  const scope = context.sourceCode.scopeManager.globalScope;
  if (scope === null) return [];
  const known = scope.variables
    .filter(({ defs }) => defs.length === 0)
    .flatMap(({ references }) => references);
  return [...scope.through, ...known];
}

/**
 * @param {Reference['identifier']} identifier
 * @returns {import('./globals.mjs').GlobalUse}
 */
function describeUse(identifier) {
  const { name, parent } = identifier;
  const isType =
    parent.type === 'TSTypeReference' || parent.type === 'TSTypeQuery' || parent.type === 'TSQualifiedName';
  const isInstanceofOperand = parent.type === 'BinaryExpression' && parent.operator === 'instanceof';
  const use = { name, isType, isInstanceofOperand };
  if (parent.type === 'NewExpression' && parent.callee === identifier) {
    return { ...use, argumentCount: parent.arguments.length };
  }
  if (parent.type !== 'MemberExpression' || parent.object !== identifier) return use;
  const { property } = parent;
  return {
    ...use,
    property: property.type === 'Identifier' && !parent.computed ? property.name : literalText(property),
  };
}

export default {
  meta: { name: 'gatehouse' },
  rules: {
    'import-boundaries': importBoundaries,
    'no-import-cycle': noImportCycle,
    'env-in-config': globalRule(judgeEnvironment),
    'pure-logic': globalRule(judgePurity),
    'scoped-collections': scopedCollections,
  },
};
