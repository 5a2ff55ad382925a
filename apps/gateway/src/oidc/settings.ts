import { readFileSync } from 'node:fs';
import type { Config } from '@gatehouse/service';
import { z } from 'zod';
import { isLoopback } from '../sessions/origins.js';
import { Mapping } from './mapping.js';

/** How the gateway uses a provider. */
export interface OidcSettings {
  issuer: URL;
  clientId: string;
  clientSecret: string | undefined;
  scope: string;
  /** The hosts that the gateway sends requests to, with their ports: that of the issuer first. */
  hosts: readonly string[];
  mapping: Mapping;
  /** Whether the first sign-in may find a person by a verified e-mail. */
  matchesEmail: boolean;
  /** The address of the gateway. */
  publicUrl: string;
}

type OidcConfig = Pick<Config, Extract<keyof Config, `OIDC_${string}`> | 'PUBLIC_URL'>;

/**
 * Reads the settings of the provider; null if there is none.
 *
 * @throws Error that names the setting that is missing or wrong
 */
export function readOidcSettings(config: OidcConfig): OidcSettings | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_MAPPING, PUBLIC_URL } = config;
  if (OIDC_ISSUER === undefined) return null;
  const issuer = new URL(OIDC_ISSUER);
  requireSecure('OIDC_ISSUER', issuer);
  const publicUrl = required('PUBLIC_URL', PUBLIC_URL);
  requireSecure('PUBLIC_URL', new URL(publicUrl));
  return {
    issuer,
    clientId: required('OIDC_CLIENT_ID', OIDC_CLIENT_ID),
    clientSecret: config.OIDC_CLIENT_SECRET,
    scope: config.OIDC_SCOPE,
    hosts: [issuer.host, ...readHosts(config.OIDC_HOSTS)],
    mapping: readMapping(required('OIDC_MAPPING', OIDC_MAPPING)),
    matchesEmail: config.OIDC_MATCH_EMAIL,
    publicUrl: new URL(publicUrl).origin,
  };
}

/** The hosts as addresses have them: in lower case, without the port of HTTPS. */
function readHosts(setting: string): string[] {
  const entries = setting.split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const address = `https://${entry}`;
      // Anything besides a host and a port would be left out of the comparison.
      if (!URL.canParse(address) || /[/\\?#@]/.test(entry))
        throw new Error(`OIDC_HOSTS has "${entry}", which is not a host such as keys.example.com:8443`);
      return new URL(address).host;
    });
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new Error(`${name} is required with OIDC_ISSUER`);
}

/** Tokens and sessions pass both. Plain HTTP is for a provider and a browser on the same machine. */
function requireSecure(name: string, url: URL): void {
  if (url.protocol === 'https:' || isLoopback(url.host)) return;
  throw new Error(`${name} must begin with https://, unless its host is a loopback address`);
}

/** The setting is the mapping in JSON, or the path of a file with it. */
function readMapping(setting: string): Mapping {
  const parsed = Mapping.safeParse(parse(setting));
  if (parsed.success) return parsed.data;
  throw new Error(`OIDC_MAPPING is not valid:\n${z.prettifyError(parsed.error)}`);
}

function parse(setting: string): unknown {
  try {
    return JSON.parse(setting.startsWith('{') ? setting : readFileSync(setting, 'utf8'));
  } catch (cause) {
    throw new Error('OIDC_MAPPING is neither JSON nor the path of a JSON file', { cause });
  }
}
