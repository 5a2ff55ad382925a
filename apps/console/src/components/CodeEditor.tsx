import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { CodeEditorProps } from './editor/props.js';

const Editor = lazy(async () => ({ default: (await import('./editor/Editor.js')).Editor }));

/** An editor of code, which is loaded when the first one is shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? '12rem'} />}>
      <Editor {...props} />
    </Suspense>
  );
}
