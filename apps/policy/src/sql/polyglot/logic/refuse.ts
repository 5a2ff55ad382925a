import { Refusal, type ReasonCode } from '../../logic/denials.js';

/** Aborts parsing or restricting. The engine converts the error to a result. */
export function refuse(code: ReasonCode, message: string, position: number | null = null): never {
  throw new Refusal(code, message, { position });
}
