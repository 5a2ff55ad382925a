import { Refusal, type ReasonCode } from '../../logic/denials.js';

/** Aborts parsing or restricting. The engine converts the error to a result. */
export function refuse(code: ReasonCode, message: string, position: number | null = null): never {
  throw new Refusal(code, message, { position });
}

/** @throws Refusal for a query in FROM without an alias */
export function refuseWithoutAlias(): never {
  return refuse('FORBIDDEN_CONSTRUCT', 'a query in FROM needs an alias');
}
