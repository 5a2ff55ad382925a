import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { DrawingProps } from './drawingProps.js';

const Drawing = lazy(async () => ({ default: (await import('./Drawing.js')).Drawing }));

/** The drawing, whose library is loaded when the first one is shown. */
export function LazyDrawing(props: DrawingProps) {
  return (
    <Suspense fallback={<Skeleton height="100%" />}>
      <Drawing {...props} />
    </Suspense>
  );
}
