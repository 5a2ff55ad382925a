/** A secret that has been replaced, and signs along for a while. */
export interface FormerSecret {
  sealedSecret: string;
  until: Date;
}

interface Secrets {
  sealedSecret: string;
  /** The latest first. */
  formerSecrets: readonly FormerSecret[];
}

/** How long receivers have for taking over a new secret. */
const OVERLAP_MS = 24 * 3_600_000;
/** Each costs a signature in every delivery. */
const FORMER_MAX = 4;

/** All secrets that sign, the present one first. */
export function secretsInForce({ sealedSecret, formerSecrets }: Secrets, now: Date): string[] {
  return [
    sealedSecret,
    ...formerSecrets.filter(({ until }) => until > now).map((former) => former.sealedSecret),
  ];
}

/** The secrets after the present one was replaced. */
export function replaceSecret(current: Secrets, sealedSecret: string, now: Date) {
  const replaced = { sealedSecret: current.sealedSecret, until: new Date(now.getTime() + OVERLAP_MS) };
  const former = current.formerSecrets.filter(({ until }) => until > now);
  return { sealedSecret, formerSecrets: [replaced, ...former].slice(0, FORMER_MAX) };
}
