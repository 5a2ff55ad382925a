import { events } from './events.js';
import { history } from './history.js';
import { webhooks } from './webhooks.js';

/** Audit log, history of access and webhooks. Only events feed it. */
export const audit = { name: 'audit' as const, procedures: { events, webhooks, history } };
