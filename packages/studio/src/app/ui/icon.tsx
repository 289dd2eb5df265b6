import type { ReactNode } from 'react'
import styles from './icon.module.css'

/** Outlines on a grid of 20 × 20, by name. */
const OUTLINES = {
  bold: 'M6.500 4.500h4a2.500 2.500 0 0 1 0 5.500h-4zM6.500 10h4.500a2.750 2.750 0 0 1 0 5.500H6.500z',
  code: 'm7 6-4 4 4 4M13 6l4 4-4 4',
  heading: 'M5 4.500v11M15 4.500v11M5 10h10',
  italic: 'M8.500 4.500h6M5.500 15.500h6M11.500 4.500l-3 11',
  link: 'M8.500 11.500a3 3 0 0 0 4.250 0l2.500-2.500a3 3 0 0 0-4.250-4.250l-1 1M11.500 8.500a3 3 0 0 0-4.250 0l-2.500 2.500a3 3 0 0 0 4.250 4.250l1-1',
  quote: 'M4.500 6v8M8 6.500h7.500M8 10h7.500M8 13.500h5',
  strikethrough:
    'M4 10h12M13.500 6.500c-.5-1.300-1.800-2-3.500-2-2 0-3.500 1-3.500 2.600 0 .8.3 1.400.9 1.900M6.300 13.300c.4 1.400 1.800 2.200 3.700 2.200 2.200 0 3.800-1 3.800-2.800 0-.400-.1-.7-.2-1',
  numbers:
    'M8.500 5h8M8.500 10h8M8.500 15h8M3.500 4l1.300-.6V7.500M3.500 12.700c.1-.8.6-1.200 1.200-1.200.7 0 1.200.4 1.200 1.100 0 .9-2.300 1.700-2.400 3.200h2.500',
  tasks: 'm3 5.500 1.300 1.300L6.800 4M3 13.500l1.300 1.300 2.500-2.800M9.500 5.500h7M9.500 14h7',
  table: 'M3.500 4.500h13v11h-13zM3.500 8.200h13M3.500 11.900h13M10 4.500v11',
  expand: 'M8 4H4v4M12 4h4v4M16 12v4h-4M4 12v4h4',
  shrink: 'M4 8h4V4M16 8h-4V4M12 16v-4h4M8 16v-4H4',
  account: 'M10 10.5a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5ZM4 16.5c.6-2.6 3-4 6-4s5.4 1.4 6 4',
  audio: 'M7.5 14.5V5l8-1.5v9.5M7.5 14.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0Zm8-1.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z',
  back: 'M12 4.5 6.5 10l5.5 5.5',
  check: 'm4.5 10.5 3.5 3.5 7.5-8',
  chevron: 'm6 8 4 4 4-4',
  close: 'm5 5 10 10M15 5 5 15',
  collection: 'M4 5h12M4 10h12M4 15h8',
  columns: 'M3.5 4.5h13v11h-13zM8 4.5v11M12 4.5v11',
  copy: 'M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3',
  external: 'M8 5H5v10h10v-3M11.5 4.5h4v4M15.5 4.5 9.5 10.5',
  folded: 'm8 6 4 4-4 4',
  grip: 'M7.5 5v.1M12.5 5v.1M7.5 10v.1M12.5 10v.1M7.5 15v.1M12.5 15v.1',
  document: 'M5 3.5h6.5L15 7v9.5H5zM11.5 3.5V7H15M7.5 10.5h5M7.5 13.5h5',
  down: 'm5 8 5 5 5-5',
  download: 'M10 3.5v9m-3.5-3.5 3.5 3.5 3.5-3.5M4 16.5h12',
  eye: 'M2.5 10s2.700-5 7.500-5 7.500 5 7.500 5-2.700 5-7.500 5-7.500-5-7.500-5ZM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  file: 'M5 3.5h6.5L15 7v9.5H5zM11.5 3.5V7H15',
  filter: 'M3.5 5.5h13M6 10h8M8.5 14.5h3',
  folder: 'M3.5 15.5v-11H8l2 2h6.5v9z',
  global:
    'M10 16.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM3.5 10h13M10 3.5c2 2 2.5 4.3 2.5 6.5S12 14.5 10 16.5C8 14.5 7.5 12.2 7.5 10S8 5.5 10 3.5Z',
  grid: 'M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM11 11h5v5h-5z',
  home: 'm3.5 9.5 6.5-5.5 6.5 5.5M5.5 8.5v7.5h9V8.5',
  image: 'M3.5 4.5h13v11h-13zM3.5 13l3.5-3.5 3 3 2.5-2.5 4 4M12.5 8v.1',
  list: 'M7.5 5h9M7.5 10h9M7.5 15h9M4 5v.1M4 10v.1M4 15v.1',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  more: 'M4.4 10a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0M9.4 10a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0M14.4 10a.6.6 0 1 0 1.2 0 .6.6 0 1 0-1.2 0',
  open: 'M11.5 4h4.5v4.5M16 4l-7 7M13.5 11.5v4.5H4V6.5h4.5',
  plus: 'M10 4.5v11M4.5 10h11',
  redo: 'M13.5 4.5 16.5 7.5l-3 3M16.5 7.5H8a4 4 0 0 0 0 8h4',
  retry: 'M16 10a6 6 0 1 1-1.8-4.3L16 7.5M16 3.5v4h-4',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Zm4-1.5 3.5 3.5',
  sort: 'M6.5 4.5v11m-3-3 3 3 3-3M13.5 15.5v-11m-3 3 3-3 3 3',
  tree: 'M4 5h5M7 10h5M10 15h6M4.500 7.500v2.500h2M7.500 12.500v2.500h2',
  trash: 'M4 6h12M8 6V4h4v2M5.5 6l.8 10.5h7.4L14.5 6M8.5 9v4.5M11.5 9v4.5',
  undo: 'M6.5 4.5 3.5 7.5l3 3M3.5 7.5H12a4 4 0 0 1 0 8H8',
  star: 'm10 3.5 2 4.3 4.7.6-3.5 3.2.9 4.7L10 14l-4.1 2.3.9-4.7-3.5-3.2 4.7-.6Z',
  up: 'm5 12 5-5 5 5',
  upload: 'M10 12.5v-9M6.5 7 10 3.5 13.5 7M4 16.5h12',
  video: 'M3.5 5h9v10h-9zM12.5 9l4-2.5v7l-4-2.5',
  warning: 'M10 4 3 16h14L10 4Zm0 4.5v3.5m0 2v.1',
} as const

export type IconName = keyof typeof OUTLINES

/** A decorative icon, hidden from screen readers: put it next to a text, or in a control with a label. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className={styles.icon} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={OUTLINES[name]} />
    </svg>
  )
}
