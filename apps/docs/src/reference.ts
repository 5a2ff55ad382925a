import type { OpenApiDocument } from '@gatehouse/contract';
import { ApiReference } from '@scalar/api-reference';
import { createHead } from '@unhead/vue/client';
import { createApp, h, shallowRef } from 'vue';
import { describeDocument } from './document.js';
import { keepRepaired } from './repairs.js';
import { createSend } from './send.js';

/** The security scheme of the OpenAPI document. */
const SCHEME = 'accessToken';

/** What this page uses of the mounted component. */
interface Exposed {
  eventBus: { emit(event: string, payload: unknown): void };
}

/** Shows the reference. It sends requests only to this origin, and stores no token. */
export function showReference(document: OpenApiDocument): void {
  const exposed = shallowRef<Exposed | null>(null);
  const configuration = createConfiguration(document, (token) => {
    const payload = { type: 'http', 'x-scalar-secret-token': token };
    exposed.value?.eventBus.emit('auth:update:security-scheme-secrets', { name: SCHEME, payload });
  });
  const app = createApp(() => h(ApiReference, { configuration, ref: exposed }));
  app.use(createHead());
  app.mount('#reference');
  keepRepaired();
}

function createConfiguration(document: OpenApiDocument, onToken: (token: string) => void) {
  const send = createSend(document, onToken);
  return {
    content: describeDocument(document),
    baseServerURL: location.origin,
    customFetch: (input: string | URL | Request, init?: RequestInit) => send(new Request(input, init)),
    authentication: { preferredSecurityScheme: SCHEME },
    persistAuth: false,
    generateOperationSlug: ({ operationId = '' }: { operationId?: string }) => operationId,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    orderSchemaPropertiesBy: 'preserve',
    // The features below need other origins.
    withDefaultFonts: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    // /openapi.json is the document without the additions of this page.
    documentDownloadType: 'none',
  } as const;
}
