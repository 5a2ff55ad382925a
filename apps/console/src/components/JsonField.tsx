import { Input } from '@mantine/core';
import { useId, useRef, useState } from 'react';
import { CodeEditor } from './CodeEditor.js';
import { INVALID_VALUE, type ControlProps } from './fields.js';
import classes from './JsonField.module.css';

function format(value: unknown): string {
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2);
}

/** A field that holds JSON. Its value is the parsed JSON, null for an empty text. */
export function JsonField({ label, description, value, error, isDisabled, onChange }: ControlProps) {
  const id = useId();
  const [text, setText] = useState(() => format(value));
  const emitted = useRef(value);
  const [fault, setFault] = useState<string>();
  const emit = (next: unknown) => {
    emitted.current = next;
    onChange(next);
  };
  // The form has discarded the changes.
  if (value !== emitted.current) {
    emitted.current = value;
    setText(format(value));
    setFault(undefined);
  }
  const change = (next: string) => {
    setText(next);
    try {
      emit(next.trim() === '' ? null : (JSON.parse(next) as unknown));
      setFault(undefined);
    } catch (failure) {
      setFault(failure instanceof Error ? failure.message : 'is not JSON');
      emit(INVALID_VALUE);
    }
  };
  return (
    <Input.Wrapper id={id} label={label} description={description} error={fault ?? error} labelElement="div">
      <div className={classes['editor']}>
        <CodeEditor label={label} language="json" value={text} isReadOnly={isDisabled} onChange={change} />
      </div>
    </Input.Wrapper>
  );
}
