import type { audit } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { Dependencies } from '../dependencies.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './manageWebhooks.js';
import { createWebhookTest } from './testWebhook.js';

type Verbs = 'list' | 'create' | 'get' | 'update' | 'delete' | 'rotateSecret' | 'test';

/** `stopping` aborts tests in progress. */
export function createWebhookProcedures(
  dependencies: Dependencies,
  stopping: AbortSignal,
): Pick<Handlers<typeof audit.procedures>['webhooks'], Verbs> {
  return {
    list: (input, context) => listWebhooks(dependencies, input, context),
    create: (input, context) => createWebhook(dependencies, input, context),
    get: (input, context) => getWebhook(dependencies, input, context),
    update: (input, context) => updateWebhook(dependencies, input, context),
    delete: (input, context) => deleteWebhook(dependencies, input, context),
    rotateSecret: (input, context) => rotateSecret(dependencies, input, context),
    test: createWebhookTest(dependencies, stopping),
  };
}
