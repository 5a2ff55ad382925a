/** What a request is made of. */
export interface RequestParts {
  method: string;
  /** With parameters in braces, as `/dashboards/{id}`. */
  path: string;
  /** Values for the braces; what is left of them goes into the query, empty ones excepted. */
  parameters: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** JSON; absent where there is no body. */
  body?: string;
  /** Whether the access token is sent. */
  isAuthorized: boolean;
}

/** A request of which only the token and the origin are open. */
export interface ApiRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  isAuthorized: boolean;
}

/** Percent-encoded, but for names such as `<dashboardId>`, which are shown until they are replaced. */
function encode(value: string): string {
  return encodeURIComponent(value).replace(/^%3C(\w+)%3E$/, '<$1>');
}

/** Puts the parameters in their places. */
export function buildRequest(parts: RequestParts): ApiRequest {
  const { method, path, parameters, headers = {}, body, isAuthorized } = parts;
  const inPath = new Set<string>();
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return encode(parameters[name] ?? '');
  });
  const query = Object.entries(parameters)
    .filter(([name, value]) => !inPath.has(name) && value !== '')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const sent = Object.entries(headers).filter(([, value]) => value !== '');
  if (body !== undefined) sent.push(['Content-Type', 'application/json']);
  const target = query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  const request = { method, target, headers: Object.fromEntries(sent), isAuthorized };
  return body === undefined ? request : { ...request, body };
}

/** A text as one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The request as a command for a POSIX shell, which takes the token from the variable TOKEN. */
export function writeCurl(
  { method, target, headers, body, isAuthorized }: ApiRequest,
  origin: string,
): string {
  const lines = [method === 'GET' ? 'curl' : `curl -X ${method}`];
  if (isAuthorized) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${quote(body)}`);
  return [...lines, quote(origin + target)].join(' \\\n  ');
}
