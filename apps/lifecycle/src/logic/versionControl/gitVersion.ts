/** The oldest git that has all that is used here: `http.curloptResolve` came with it. */
export const GIT_VERSION_MIN = '2.37';

/** Whether what `git version` says is new enough. */
export function isGitSupported(said: string): boolean {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(said) ?? [];
  const [wantedMajor = 0, wantedMinor = 0] = GIT_VERSION_MIN.split('.').map(Number);
  return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
}
