/** The current view of the console, as in the fragment of the address: `#/access/d_1?user=ou_2`. */
export interface Route {
  view: string;
  /** The id of the record that the view shows; null if the address contains none. */
  id: string | null;
  params: URLSearchParams;
}

/** Parses the fragment of an address. An invalid fragment leads to no view. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [view = '', id = ''] = path.split('/').map(decode);
  return { view, id: id === '' ? null : id, params: new URLSearchParams(query) };
}

/** The address of a view. Empty parameters are omitted. */
export function formatRoute(view: string, id: string | null = null, params: Record<string, string> = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== '')).toString();
  const path = id === null ? view : `${view}/${encodeURIComponent(id)}`;
  return `#/${path}${query === '' ? '' : `?${query}`}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
