/** Outlines on a grid of 24 by 24. */
const PATHS = {
  gate: 'M4 20V9l3-4 3 4v3h4V9l3-4 3 4v11h-5v-4a3 3 0 0 0-6 0v4z',
  home: 'M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6',
  dashboard: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  visual: 'M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3M20 16V6',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c0-3.5 3-6 7-6s7 2.5 7 6',
  users:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.3 2.6-5.5 6-5.5s6 2.2 6 5.5M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.8c1.9.8 3 2.6 3 5.2',
  tenant: 'M5 20V5l8-2v17M13 9l6 2v9M3 20h18M8 8h2M8 12h2M8 16h2M16 14h.5M16 17h.5',
  connection:
    'M12 9c4.4 0 8-1.3 8-3s-3.6-3-8-3-8 1.3-8 3 3.6 3 8 3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  model: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  domain: 'M4 6h7v5H4zM13 13h7v5h-7zM7.5 11v4.5H13',
  assistant: 'M5 5h14v10H11l-4 4v-4H5zM9 10h.01M12 10h.01M15 10h.01',
  project: 'M3 6h6l2 2h10v11H3z',
  session: 'M4 5h16v11H4zM9 20h6M12 16v4',
  access: 'M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6zM9 12l2 2 4-4',
  policy: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h6M9 17h6',
  check: 'M4 12.5l5 5L20 6.5',
  migration: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
  audit: 'M5 4h14v16H5zM9 9h6M9 13h6M9 17h3',
  webhook: 'M8 8a4 4 0 1 1 6 3.5l3 5M6 12a4 4 0 1 0 4 5h6M18 20a3 3 0 1 0-1-5.8',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  chevron: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  copy: 'M8 8h11v12H8zM5 16V4h11',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9M18 12v3M21 12v2',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  share:
    'M7 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM17 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM17 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9.2 10.8l5.6-3.6M9.2 13.2l5.6 3.6',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  refresh: 'M19 12a7 7 0 1 1-2-5M19 4v4h-4',
  history: 'M5 12a7 7 0 1 0 2-5M5 4v4h4M12 8.5V12l3 2',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01',
  empty: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.5 2.5h3L15 13h5',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  out: 'M14 4h5v16h-5M4 12h11M8 8l-4 4 4 4',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a text, which alone carries the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
