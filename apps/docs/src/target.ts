/** The path and query of a request; parameters that the path does not name go into the query. */
export function buildTarget(path: string, parameters: Readonly<Record<string, string>>): string {
  const inPath = new Set<string>();
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(parameters[name] ?? '');
  });
  const query = Object.entries(parameters).filter(([name]) => !inPath.has(name));
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query).toString()}`;
}
