import {
  ChainCheck,
  checkExport,
  headText,
  type AuditHead,
  type ChainReport,
  type ChainTip,
  type FoundHead,
} from '@gatehouse/contract';
import type { Sealer } from '@gatehouse/service';
import type { LogStores } from './store/openStores.js';
import { ENTRY_CONTEXT, HEAD_CONTEXT, sha256 } from './appendEvents.js';

// The verification command needs the stores as well.
export type { ChainReport } from '@gatehouse/contract';
export { createLogStores } from './store/openStores.js';

type SealChecker = Pick<Sealer, 'judgeSignature'>;

interface VerifySettings {
  sealer: SealChecker;
  /** The last entry that an earlier verification found, by organization. */
  earlier?: ReadonlyMap<string, ChainTip> | undefined;
  /** Called periodically with the number of entries read. */
  onProgress?: ((organizationId: string, entryCount: number) => void) | undefined;
}

const PROGRESS_EVERY = 10_000;

/** The head of a log, with the verdict on its seal. */
function judgeHead(organizationId: string, head: AuditHead | null, sealer: SealChecker): FoundHead {
  if (head === null) return { head };
  const text = headText(organizationId, head);
  return { head, seal: sealer.judgeSignature(head.seal, text, HEAD_CONTEXT) };
}

/** Verifies the stored log of one organization. Appends may continue meanwhile. */
async function verifyLog(
  stores: LogStores,
  organizationId: string,
  { sealer, earlier, onProgress }: VerifySettings,
): Promise<ChainReport> {
  // Before the entries: entries added from now on come after it.
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

/** The organizations that have a log, or had one at an earlier verification, in the order of their ids. */
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

/** Verifies the log of one organization, or all logs, sequentially and in bounded memory. */
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

/**
 * Verifies an export in NDJSON. Checks the head's seal when there is a `sealer`.
 *
 * @param openLines returns the lines of the file from its start; called twice, because the summary comes last
 * @throws UnreadableExportError for an incomplete export
 */
export async function verifyExport(
  openLines: () => AsyncIterable<string>,
  { sealer, earlier, onProgress }: Omit<VerifySettings, 'sealer'> & { sealer: Sealer | null },
): Promise<ChainReport & { isWhole: boolean }> {
  return checkExport(openLines, {
    digest: sha256,
    ...(sealer && { judgeHead: (organizationId, head) => judgeHead(organizationId, head, sealer) }),
    earlier,
    onProgress,
  });
}
