import { routes, type Route } from '@gatehouse/contract';
import type { Arguments, OptionSpec, Outcome } from './command.js';

const NAME = 'validate-only';

/** A route names the parameters that belong to no procedure, such as `validateOnly`. */
type RouteWithOptions = Route & { options?: readonly string[] };

/** Whether the API can check a change without carrying it out. */
export function takesValidateOnly({ options }: RouteWithOptions): boolean {
  return options?.includes('validateOnly') === true;
}

/** The option of commands that send these operations. */
export function validateOnlyOption(...operationIds: string[]): Record<string, OptionSpec> {
  const sent = routes.filter(({ operationId }) => operationIds.includes(operationId));
  if (!sent.every(takesValidateOnly)) return {};
  return { [NAME]: { summary: 'check the request, and change nothing' } };
}

export function isValidateOnly(given: Arguments): boolean {
  return given.flag(NAME);
}

/** The parameter for the input of an operation. */
export function validateOnlyOf(given: Arguments): { validateOnly?: true } {
  return isValidateOnly(given) ? { validateOnly: true } : {};
}

/** The result of a change that was only checked. */
export function validOutcome(json: unknown): Outcome {
  return { json, text: 'Valid: nothing was changed.\n' };
}
