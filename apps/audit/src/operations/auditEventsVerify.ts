import {
  ChainCheck,
  headText,
  type AuditHead,
  type ChainReport,
  type ChainTip,
  type FoundHead,
} from '@gatehouse/contract';
import type { Sealer } from '@gatehouse/service';
import type { LogStores } from '../store/entriesStores.js';
import { ENTRY_CONTEXT, HEAD_CONTEXT, sha256 } from './entriesAppend.js';

type SealChecker = Pick<Sealer, 'judgeSignature'>;

export interface VerifySettings {
  sealer: SealChecker;
  /** What an earlier verification found last, by organization. */
  earlier?: ReadonlyMap<string, ChainTip> | undefined;
  /** Told from time to time how many entries of a log were looked at. */
  onProgress?: ((organizationId: string, entryCount: number) => void) | undefined;
}

const PROGRESS_EVERY = 10_000;

/** The end of a log with what its seal is worth. */
export function judgeHead(organizationId: string, head: AuditHead | null, sealer: SealChecker): FoundHead {
  if (head === null) return { head };
  const text = headText(organizationId, head);
  return { head, seal: sealer.judgeSignature(head.seal, text, HEAD_CONTEXT) };
}

/** Verifies the log of one organization as it is stored. It may go on meanwhile. */
async function verifyLog(
  stores: LogStores,
  organizationId: string,
  { sealer, earlier, onProgress }: VerifySettings,
): Promise<ChainReport> {
  // Before the entries: what is added from now on comes behind it.
  const head = await stores.heads.find(organizationId);
  const check = new ChainCheck(organizationId, judgeHead(organizationId, head, sealer), {
    digest: sha256,
    isWhole: true,
    earlier: earlier?.get(organizationId),
  });
  let count = 0;
  for await (const { seal, ...found } of stores.entries.scan(organizationId)) {
    const hash = found.entry?.hash;
    check.add(
      hash === undefined ? found : { ...found, seal: sealer.judgeSignature(seal, hash, ENTRY_CONTEXT) },
    );
    count += 1;
    if (count % PROGRESS_EVERY === 0) onProgress?.(organizationId, count);
  }
  onProgress?.(organizationId, count);
  return check.report();
}

/** The organizations that have a log, or had one at an earlier verification, by the order of their ids. */
async function* listOrganizations(
  { entries, heads }: LogStores,
  known: readonly string[],
): AsyncGenerator<string> {
  for (let last = ''; ;) {
    const found = [
      await entries.findOrganizationAfter(last),
      await heads.findOrganizationAfter(last),
      known.filter((id) => id > last).toSorted()[0] ?? null,
    ];
    const [next] = found.filter((id) => id !== null).toSorted();
    if (next === undefined) return;
    yield next;
    last = next;
  }
}

/** Verifies the log of one organization, or all logs, one after the other and in bounded memory. */
export async function* verifyLogs(
  stores: LogStores,
  organizationId: string | undefined,
  settings: VerifySettings,
): AsyncGenerator<ChainReport> {
  const organizations =
    organizationId === undefined
      ? listOrganizations(stores, [...(settings.earlier?.keys() ?? [])])
      : [organizationId];
  for await (const each of organizations) yield await verifyLog(stores, each, settings);
}
