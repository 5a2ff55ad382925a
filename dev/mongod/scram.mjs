// @ts-check
/** The server's side of SCRAM-SHA-256: RFC 5802 and RFC 7677, without channel binding. */
import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

const ITERATIONS = 15_000;
const SALT_BYTES = 28;
const KEY_BYTES = 32;
const NONCE_BYTES = 24;

/**
 * A stored password, in base64.
 * @typedef {{ salt: string, storedKey: string, serverKey: string }} Credential
 */

/** @param {Buffer} key @param {string} text */
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
/** @param {Buffer} bytes */
const hash = (bytes) => createHash('sha256').update(bytes).digest();
/** @param {string} text as `r=abc,s=def` @returns {Record<string, string>} */
const readAttributes = (text) =>
  Object.fromEntries(text.split(',').map((part) => [part[0] ?? '', part.slice(2)]));

/**
 * @param {string} password of ASCII characters, which need no preparation
 * @returns {Credential}
 */
export function makeCredential(password) {
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  return {
    salt: salt.toString('base64'),
    storedKey: hash(hmac(salted, 'Client Key')).toString('base64'),
    serverKey: hmac(salted, 'Server Key').toString('base64'),
  };
}

/** The name of the user who authenticates. @param {string} clientFirst */
export function readUserName(clientFirst) {
  const { n = '' } = readAttributes(clientFirst.slice('n,,'.length));
  return n.replaceAll('=2C', ',').replaceAll('=3D', '=');
}

/** One authentication attempt. */
export class ScramExchange {
  #credential;
  #clientFirstBare;
  #nonce;
  /** The first reply to the client. */
  serverFirst;

  /** @param {Credential} credential @param {string} clientFirst */
  constructor(credential, clientFirst) {
    this.#credential = credential;
    this.#clientFirstBare = clientFirst.slice('n,,'.length);
    this.#nonce = readAttributes(this.#clientFirstBare)['r'] + randomBytes(NONCE_BYTES).toString('base64');
    this.serverFirst = `r=${this.#nonce},s=${credential.salt},i=${ITERATIONS}`;
  }

  /**
   * The last reply to the client; undefined if the password is wrong.
   * @param {string} clientFinal
   */
  finish(clientFinal) {
    const { r: nonce, p: proof = '' } = readAttributes(clientFinal);
    const withoutProof = clientFinal.slice(0, clientFinal.lastIndexOf(',p='));
    const message = [this.#clientFirstBare, this.serverFirst, withoutProof].join(',');
    const storedKey = Buffer.from(this.#credential.storedKey, 'base64');
    const signature = hmac(storedKey, message);
    const clientKey = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0));
    const isKnown = nonce === this.#nonce && timingSafeEqual(hash(Buffer.from(clientKey)), storedKey);
    if (!isKnown) return undefined;
    return `v=${hmac(Buffer.from(this.#credential.serverKey, 'base64'), message).toString('base64')}`;
  }
}
