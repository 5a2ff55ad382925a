import { Annotation, Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';

import type { CodeEditorProps } from './props.js';
import { extensionsOf, findingsOf, languageOf } from './setup.js';

/** Marks a change that does not come from the user. */
const fromValue = Annotation.define<true>();

/**
 * CodeMirror in a shadow root: there it uses adopted style sheets, which the content security policy allows;
 * elsewhere it inserts a style element.
 */
export function Editor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const slot = useRef(new Compartment());
  const onChange = useRef(props.onChange);
  onChange.current = props.onChange;
  const {
    label,
    language,
    value,
    isReadOnly = false,
    schema,
    findings,
    minHeight = '10rem',
    maxHeight = '32rem',
  } = props;
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const created = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          extensionsOf({ label, isReadOnly, minHeight, maxHeight }),
          slot.current.of(languageOf(language, schema)),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(fromValue))) return;
            // At once: a value that is drawn later than the next key would replace what that key typed.
            flushSync(() => onChange.current?.(update.state.doc.toString()));
          }),
        ],
      }),
    });
    view.current = created;
    return () => created.destroy();
    // Another value is put into the same editor below.
  }, [label, isReadOnly, minHeight, maxHeight]);
  // In place: an editor that is created again loses the focus, and with it what is being typed.
  useEffect(() => {
    view.current?.dispatch({ effects: slot.current.reconfigure(languageOf(language, schema)) });
  }, [language, schema]);
  useEffect(() => {
    const { current } = view;
    if (current === null || current.state.doc.toString() === value) return;
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      annotations: fromValue.of(true),
    });
  }, [value]);
  useEffect(() => {
    const { current } = view;
    if (current !== null && findings !== undefined) current.dispatch(findingsOf(current.state, findings));
  }, [findings, schema, isReadOnly, value === '']);
  return <div ref={host} data-editor={label} />;
}
