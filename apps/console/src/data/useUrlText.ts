import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useUrlState } from './urlState.js';

const DELAY_MS = 200;
const LENGTH_MAX = 200;

/**
 * The text of a field, and a function that changes it. The address has it under the name once typing pauses;
 * Back, Forward and a link to the same screen change the field.
 */
export function useUrlText(name: string): [string, (text: string) => void] {
  const [{ [name]: value = '' }, setState] = useUrlState();
  const [text, setText] = useState(value);
  const applied = useRef(value);
  const apply = useDebouncedCallback((next: string) => {
    applied.current = next.trim().slice(0, LENGTH_MAX);
    setState({ [name]: applied.current });
  }, DELAY_MS);
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setText(value);
  }, [value]);
  const change = (next: string) => {
    setText(next);
    apply(next);
  };
  return [text, change];
}
