/** The oldest supported git: the first one with `http.curloptResolve`. */
export const GIT_VERSION_MIN = '2.37';

/** Whether the output of `git version` names a supported version. */
export function isGitSupported(output: string): boolean {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(output) ?? [];
  const [wantedMajor = 0, wantedMinor = 0] = GIT_VERSION_MIN.split('.').map(Number);
  return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
}
