import { checkExport, type ChainReport } from '@gatehouse/contract';
import type { Sealer } from '@gatehouse/service';
import { judgeHead, type VerifySettings } from './auditEventsVerify.js';
import { sha256 } from './entriesAppend.js';

/**
 * Verifies an export as NDJSON; the head's seal is looked at where there is a `sealer`.
 *
 * @param openLines gives the lines of the file from its beginning; it is called twice, as the summary comes last
 * @throws UnreadableExportError for what is no complete export
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
