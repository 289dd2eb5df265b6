import type { ReactNode } from 'react'
import styles from './icon.module.css'

/** Outlines on a grid of 20, by name. */
const OUTLINES = {
  account: 'M10 10.5a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5ZM4 16.5c.6-2.6 3-4 6-4s5.400 1.400 6 4',
  audio: 'M7.5 14.500V5l8-1.500v9.500M7.500 14.500a2 2 0 1 1-4 0 2 2 0 0 1 4 0Zm8-1.500a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z',
  back: 'M12 4.500 6.500 10l5.500 5.500',
  check: 'm4.500 10.500 3.500 3.500 7.500-8',
  chevron: 'm6 8 4 4 4-4',
  close: 'm5 5 10 10M15 5 5 15',
  collection: 'M4 5h12M4 10h12M4 15h8',
  columns: 'M3.500 4.500h13v11h-13zM8 4.500v11M12 4.500v11',
  copy: 'M7.500 7.500h8v8h-8zM12.500 7.500v-3h-8v8h3',
  external: 'M8 5H5v10h10v-3M11.500 4.500h4v4M15.500 4.500 9.500 10.500',
  folded: 'm8 6 4 4-4 4',
  down: 'M10 4.500v11m-4.500-4.500 4.500 4.500 4.500-4.500',
  filter: 'M3.500 5.500h13M6 10h8M8.500 14.500h3',
  global:
    'M10 16.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM3.500 10h13M10 3.500c2 2 2.500 4.300 2.500 6.500S12 14.500 10 16.500C8 14.500 7.500 12.200 7.500 10S8 5.500 10 3.500Z',
  grip: 'M7.500 5v.1M12.500 5v.1M7.500 10v.1M12.500 10v.1M7.500 15v.1M12.500 15v.1',
  document: 'M5 3.500h6.500L15 7v9.500H5zM11.500 3.500V7H15M7.500 10.500h5M7.500 13.500h5',
  down: 'm5 8 5 5 5-5',
  download: 'M10 3.500v9m-3.500-3.500 3.500 3.500 3.500-3.500M4 16.500h12',
  file: 'M5 3.500h6.500L15 7v9.500H5zM11.500 3.500V7H15',
  filter: 'M3.500 5.500h13M6 10h8M8.500 14.500h3',
  folder: 'M3.500 15.500v-11H8l2 2h6.500v9z',
  global:
    'M10 16.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM3.500 10h13M10 3.500c2 2 2.500 4.300 2.500 6.500S12 14.500 10 16.500C8 14.500 7.500 12.200 7.500 10S8 5.500 10 3.500Z',
  grid: 'M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM11 11h5v5h-5z',
  home: 'm3.500 9.500 6.500-5.500 6.500 5.500M5.500 8.500v7.500h9V8.500',
  image: 'M3.500 4.500h13v11h-13zM3.500 13l3.500-3.500 3 3 2.500-2.500 4 4M12.500 8v.1',
  list: 'M7.500 5h9M7.500 10h9M7.500 15h9M4 5v.1M4 10v.1M4 15v.1',
  menu: 'M3.500 6h13M3.500 10h13M3.500 14h13',
  more: 'M5 10v.1M10 10v.1M15 10v.1',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  open: 'M11.500 4h4.500v4.500M16 4l-7 7M13.500 11.500v4.500H4V6.500h4.500',
  plus: 'M10 4.500v11M4.500 10h11',
  redo: 'M13.500 4.500 16.500 7.500l-3 3M16.500 7.500H8a4 4 0 0 0 0 8h4',
  retry: 'M16 10a6 6 0 1 1-1.800-4.300L16 7.500M16 3.500v4h-4',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11Zm4-1.500 3.500 3.500',
  sort: 'M6.500 4.500v11m-3-3 3 3 3-3M13.500 15.500v-11m-3 3 3-3 3 3',
  trash: 'M4 6h12M8 6V4h4v2M5.500 6l.8 10.500h7.400L14.500 6M8.500 9v4.500M11.500 9v4.500',
  undo: 'M6.500 4.500 3.500 7.500l3 3M3.500 7.500H12a4 4 0 0 1 0 8H8',
  star: 'm10 3.500 2 4.300 4.700.600-3.500 3.200.900 4.700L10 14l-4.100 2.300.900-4.700-3.500-3.200 4.700-.600Z',
  up: 'M10 15.500v-11M5.500 9 10 4.500 14.500 9',
  up: 'm5 12 5-5 5 5',
  upload: 'M10 12.500v-9M6.500 7 10 3.500 13.500 7M4 16.500h12',
  video: 'M3.500 5h9v10h-9zM12.500 9l4-2.500v7l-4-2.500',
  warning: 'M10 4 3 16h14L10 4Zm0 4.500v3.500m0 2v.1',
} as const

/** The name of an icon. */
export type IconName = keyof typeof OUTLINES

/** An icon beside a text, or in a control with a label: by itself it says nothing to those who cannot see it. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className={styles.icon} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={OUTLINES[name]} />
    </svg>
  )
}
