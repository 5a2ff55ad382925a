import { useState } from 'react';
import type { ControlProps } from '../../../components/fields.js';

interface Conversions<T> {
  /** What is typed for a value; null if the fields cannot show it. */
  read(value: unknown): T | null;
  write(typed: T): unknown;
}

/**
 * What is typed in the fields of a value. It is read again when the value changes elsewhere: the form has
 * discarded the changes, or has got another saved version.
 */
export function useTyped<T>(
  { value, onChange }: Pick<ControlProps, 'value' | 'onChange'>,
  { read, write }: Conversions<T>,
) {
  const [state, setState] = useState(() => ({ value, typed: read(value) }));
  const current = state.value === value ? state : { value, typed: read(value) };
  if (current !== state) setState(current);
  const set = (typed: T) => {
    const next = write(typed);
    setState({ value: next, typed });
    onChange(next);
  };
  return { typed: current.typed, set };
}
