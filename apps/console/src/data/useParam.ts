import { useParams } from '@tanstack/react-router';

/** A parameter of the path of the screen, as `$id`. */
export function useParam(name: string): string {
  const parameters = useParams({ strict: false }) as Record<string, string | undefined>;
  return parameters[name] ?? '';
}
