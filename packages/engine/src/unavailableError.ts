/**
 * The embedded engine cannot run on this machine. The message names what is missing and what to use instead.
 */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError';

  constructor(missing: string, options?: ErrorOptions) {
    super(
      `The embedded MongoDB engine cannot run here: ${missing} Set MONGODB_URL to a MongoDB server ` +
        'of version 7 or later, or start one with infra/compose.yaml.',
      options,
    );
  }
}
