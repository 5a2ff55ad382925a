import type { OpenApiDocument } from '@gatehouse/contract';

const DOCUMENT = '/openapi.json';

async function fetchDocument(): Promise<OpenApiDocument> {
  const response = await fetch(DOCUMENT);
  if (!response.ok) throw new Error(`${DOCUMENT} returned ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}

// The page's code is large: it and the document load at the same time.
const [document, { showReference }] = await Promise.all([fetchDocument(), import('./reference.js')]);
showReference(document);
