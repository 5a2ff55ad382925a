import { useEffect, useState, type ComponentType, type ReactNode } from 'react';

/** A component whose code is loaded when it is first shown, or preloaded. */
export type OnDemand<Props> = ComponentType<Props> & {
  /** Loads the code. A failure is reported where the component is shown. */
  preload(): void;
};

/**
 * Makes a component of code that is loaded on demand; until it is there, `showWaiting` is shown. Not by
 * Suspense: React shows what replaces a fallback at the earliest 300 ms later, so a first drawing was late.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  showWaiting: (props: Props) => ReactNode,
): OnDemand<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const start = async () => {
    Loaded = await load();
  };
  function Demanded(props: Props) {
    const [, setReady] = useState(false);
    const [failure, setFailure] = useState<{ error: unknown } | null>(null);
    useEffect(() => {
      if (Loaded !== null) return;
      start().then(
        () => setReady(true),
        (error: unknown) => setFailure({ error }),
      );
    }, []);
    if (failure !== null) throw failure.error;
    return Loaded === null ? showWaiting(props) : <Loaded {...props} />;
  }
  return Object.assign(Demanded, { preload: () => void start().catch(() => {}) });
}

/** Loads the code of a component as soon as the caller is shown, beside the records that it needs. */
export function usePreload(component: { preload(): void }): void {
  useEffect(() => component.preload(), [component]);
}
