import type { Catalog } from '@gatehouse/contract';
import type { IntrospectionReason } from './outcome.js';
import type { ServerJob } from './server.js';

/** What the reading thread is given. */
export type ReadingJob = ({ type: 'postgres' | 'mysql' } & ServerJob) | { type: 'sqlite'; path: string };

/** What it answers. The cause is text: an error of a driver does not cross threads whole. */
export type ReadingAnswer =
  | { catalog: Catalog }
  | { reason: IntrospectionReason; message: string; cause: string | undefined };
