import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { usePreload } from '../../components/usePreload.js';
import type { DrawingProps } from './drawingProps.js';

const loadDrawing = async () => ({ default: (await import('./Drawing.js')).Drawing });
const Drawing = lazy(loadDrawing);

/** Loads the library of the drawing while that which is drawn is read. */
export function usePreloadedDrawing(): void {
  usePreload(loadDrawing);
}

/** The drawing, whose library is loaded when the first one is shown. */
export function LazyDrawing(props: DrawingProps) {
  return (
    <Suspense fallback={<Skeleton height="100%" />}>
      <Drawing {...props} />
    </Suspense>
  );
}
