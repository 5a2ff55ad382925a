import type { Api } from './api.js';
import type { Route } from './logic/route.js';
import type { ShownClaims } from './logic/tokenClaims.js';

/** What a view works with. */
export interface ViewContext {
  api: Api;
  claims: ShownClaims;
  route: Route;
  /** Tells what is going on, to those who listen as well. */
  say(text: string): void;
  /** Runs what a person asked for, and shows what went wrong with it. */
  run(work: () => Promise<void>): void;
}

/** One view of the console. It fills the element that it is given. */
export interface View {
  name: string;
  title: string;
  /** What it is good for, in a sentence. */
  about: string;
  show(place: HTMLElement, context: ViewContext): Promise<void>;
}
