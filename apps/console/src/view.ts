import type { Api } from './api.js';
import type { Route } from './logic/route.js';
import type { ShownClaims } from './logic/tokenClaims.js';

/** What a view works with. */
export interface ViewContext {
  api: Api;
  claims: ShownClaims;
  route: Route;
  /** Announces the current state, also to screen readers. */
  announce(text: string): void;
  /** Runs an action of the user, and shows its error. */
  run(work: () => Promise<void>): void;
}

/** One view of the console. It fills the given element. */
export interface View {
  name: string;
  title: string;
  /** Its purpose, in a sentence. */
  about: string;
  show(place: HTMLElement, context: ViewContext): Promise<void>;
}
