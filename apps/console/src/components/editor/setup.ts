import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, linter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension, type TransactionSpec } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--gh-code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--gh-code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--gh-code-number)' },
  { tag: [tags.propertyName, tags.typeName], color: 'var(--gh-code-name)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
]);

/** The colours and sizes, from the variables of the page, which shadow roots inherit. */
function themeOf({ minHeight, maxHeight }: { minHeight: string; maxHeight: string }): Extension {
  return EditorView.theme({
    '&': {
      border: '1px solid var(--gh-line)',
      borderRadius: '8px',
      fontSize: '13px',
      color: 'var(--mantine-color-text)',
      background: 'var(--gh-surface)',
      maxHeight,
    },
    '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '-1px' },
    '.cm-scroller': { minHeight, fontFamily: 'var(--mantine-font-family-monospace)', overflow: 'auto' },
    '.cm-content': { caretColor: 'var(--mantine-color-text)' },
    '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
    '.cm-gutters': { background: 'transparent', border: 'none', color: 'var(--mantine-color-dimmed)' },
    '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--gh-hover)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      background: 'var(--gh-selected) !important',
    },
    '.cm-tooltip': { background: 'var(--gh-surface)', border: '1px solid var(--gh-line)' },
  });
}

interface Setup {
  label: string;
  isReadOnly: boolean;
  minHeight: string;
  maxHeight: string;
}

/** What every editor has. Tab leaves it, so that the keyboard is not trapped. */
export function extensionsOf({ label, isReadOnly, ...heights }: Setup): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightActiveLine(),
    syntaxHighlighting(highlight),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorState.readOnly.of(isReadOnly),
    themeOf(heights),
  ];
}

/** The language of an editor. An empty JSON text is no error: it stands for no value. */
export function languageOf(
  language: 'json' | 'sql' | 'text',
  schema: Record<string, readonly string[]> | undefined,
): Extension {
  if (language === 'sql') return [sql({ dialect: PostgreSQL, ...(schema ? { schema } : {}) }), lintGutter()];
  if (language === 'text') return [];
  const lint = jsonParseLinter();
  return [json(), linter((view) => (view.state.doc.length === 0 ? [] : lint(view)))];
}

/** Shows warnings about the whole text, in place of those shown before. */
export function findingsOf(state: EditorState, findings: readonly { message: string }[]): TransactionSpec {
  const { length } = state.doc;
  const severity = 'warning' as const;
  return setDiagnostics(
    state,
    findings.map(({ message }) => ({ from: 0, to: length, severity, message })),
  );
}
