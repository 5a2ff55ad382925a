import { isGitSupported } from '../logic/versionControl/gitVersion.js';
import { createGit, type Git } from './program.js';

/** The git of this machine, which may be missing or too old, and may come later. */
export class GitInstallation {
  readonly #git: Git;
  #isKnownGood = false;

  constructor(program: string) {
    this.#git = createGit(program);
  }

  /** The program; null where there is none that will do. */
  async find(): Promise<Git | null> {
    if (this.#isKnownGood) return this.#git;
    const said = await this.#git.run({ args: ['version'] }).catch(() => '');
    this.#isKnownGood = isGitSupported(said);
    return this.#isKnownGood ? this.#git : null;
  }
}
