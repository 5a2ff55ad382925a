import { Skeleton } from '@mantine/core';
import type { CodeEditorProps } from './editor/props.js';
import { onDemand } from './onDemand.js';

/** An editor of code, which is loaded when the first one is shown. */
export const CodeEditor = onDemand<CodeEditorProps>(
  async () => (await import('./editor/Editor.js')).Editor,
  ({ minHeight = '12rem' }) => <Skeleton height={minHeight} />,
);
