/** A replaced secret, which still signs for a while. */
export interface FormerSecret {
  sealedSecret: string;
  until: Date;
}

interface Secrets {
  sealedSecret: string;
  /** Latest first. */
  formerSecrets: readonly FormerSecret[];
}

/** The time that receivers have to adopt a new secret. */
const OVERLAP_MS = 24 * 3_600_000;
/** Each adds a signature to every delivery. */
const FORMER_MAX = 4;

/** All secrets that sign, the current one first. */
export function secretsInForce({ sealedSecret, formerSecrets }: Secrets, now: Date): string[] {
  return [
    sealedSecret,
    ...formerSecrets.filter(({ until }) => until > now).map((former) => former.sealedSecret),
  ];
}

/** The secrets after the current one is replaced. */
export function replaceSecret(current: Secrets, sealedSecret: string, now: Date) {
  const replaced = { sealedSecret: current.sealedSecret, until: new Date(now.getTime() + OVERLAP_MS) };
  const former = current.formerSecrets.filter(({ until }) => until > now);
  return { sealedSecret, formerSecrets: [replaced, ...former].slice(0, FORMER_MAX) };
}
