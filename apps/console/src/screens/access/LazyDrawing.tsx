import { Skeleton } from '@mantine/core';
import { onDemand } from '../../components/onDemand.js';
import type { DrawingProps } from './drawingProps.js';

/** The drawing, whose library is loaded when the first one is shown. */
export const LazyDrawing = onDemand<DrawingProps>(
  async () => (await import('./Drawing.js')).Drawing,
  () => <Skeleton height="100%" />,
);
