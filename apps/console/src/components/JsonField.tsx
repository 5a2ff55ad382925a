import { Input } from '@mantine/core';
import { useId, useState } from 'react';
import { CodeEditor } from './CodeEditor.js';
import type { ControlProps } from './fields.js';
import classes from './JsonField.module.css';

/** The value of a JSON field whose text is not valid JSON yet: it cannot be saved. */
export const INVALID_JSON = Symbol('invalid JSON');

/** A field that holds JSON. Its value is the parsed JSON, null for an empty text. */
export function JsonField({ label, description, value, error, isDisabled, onChange }: ControlProps) {
  const id = useId();
  const [text, setText] = useState(() =>
    value === null || value === undefined ? '' : JSON.stringify(value, null, 2),
  );
  const [fault, setFault] = useState<string>();
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === '' ? null : (JSON.parse(next) as unknown));
      setFault(undefined);
    } catch (failure) {
      setFault(failure instanceof Error ? failure.message : 'is not JSON');
      onChange(INVALID_JSON);
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
