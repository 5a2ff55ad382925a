import { Refusal, type ReasonCode } from '../sql/denials.js';

/** Ends the reading or the restricting of a statement or rule; whoever began it turns this into an answer. */
export function refuse(code: ReasonCode, message: string, position: number | null = null): never {
  throw new Refusal(code, message, { position });
}
