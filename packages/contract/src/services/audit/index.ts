import { events } from './events.js';
import { history } from './history.js';
import { webhooks } from './webhooks.js';

/** What happened, for those who ask later and for those who want to be told at once. It is fed by events alone. */
export const audit = { name: 'audit', procedures: { events, webhooks, history } };
