import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The result of a verification. With `unknownKey`, the signing key is not configured. */
export type SignatureJudgement = 'right' | 'wrong' | 'unknownKey';

/** Encrypts texts that must be readable again, such as private keys: AES-256-GCM with a random nonce. */
export interface Sealer {
  /** `context` binds the sealed text to its place, so that it cannot be moved to another. */
  seal(plain: string, context: string): string;
  /** Throws if the text was changed or moved, or if its key is not configured. */
  open(sealed: string, context: string): string;
  /** Returns true if the first key sealed it. */
  isCurrent(sealed: string): boolean;
  /**
   * Signs a text with HMAC-SHA-256. The key is derived from the first key (HKDF, RFC 5869) and has no other
   * use. `context` names the kind of text, without line breaks. A signature of one kind is invalid for
   * another.
   */
  sign(text: string, context: string): string;
  judgeSignature(signature: string, text: string, context: string): SignatureJudgement;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const SIGNING_PURPOSE = 'gatehouse signature';
/** The name of the key, and 32 bytes. */
const SIGNATURE = /^[\w-]{8}\.[\w-]{43}$/;

const keyName = (key: Buffer) => createHash('sha256').update(key).digest('base64url').slice(0, 8);

function signWith(key: Buffer): (text: string, context: string) => string {
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', SIGNING_PURPOSE, KEY_BYTES));
  const prefix = `${keyName(key)}.`;
  return (text, context) =>
    prefix + createHmac('sha256', signingKey).update(`${context}\n${text}`).digest('base64url');
}

/**
 * Reads keys in the format of `SEALING_KEYS`, separated by commas. The first key seals, and all keys open,
 * for rotation.
 */
export function createSealer(sealingKeys: string): Sealer {
  const keys = sealingKeys.split(',').map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== KEY_BYTES))
    throw new Error('SEALING_KEYS must contain keys of 32 bytes in base64');
  const byName = new Map(keys.map((key) => [keyName(key), key]));
  const signers = new Map(keys.map((key) => [keyName(key), signWith(key)]));
  const [current] = keys as [Buffer];
  const sign = signWith(current);
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${keyName(current)}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      const [name = '', text = ''] = sealed.split('.');
      const key = byName.get(name);
      if (!key) throw new Error('the sealing key of this text is not configured');
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES)).setAAD(
        Buffer.from(context),
      );
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    isCurrent: (sealed) => sealed.startsWith(`${keyName(current)}.`),
    sign,
    judgeSignature(signature, text, context) {
      if (!SIGNATURE.test(signature)) return 'wrong';
      const signer = signers.get(signature.split('.', 1)[0] ?? '');
      if (!signer) return 'unknownKey';
      return timingSafeEqual(Buffer.from(signature), Buffer.from(signer(text, context))) ? 'right' : 'wrong';
    },
  };
}
