import type { ReactNode } from 'react'

/** What a {@link ScrollRegion} takes. */
export interface ScrollRegionProps {
  readonly label: string
  readonly className: string | undefined
  readonly children: ReactNode
}

/** A part of a page that scrolls by itself. */
export const ScrollRegion = ({ label, className, children }: ScrollRegionProps): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what has no focus is scrolled by no key (WCAG 2.1.1)
  <div data-scrolls className={className} role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
)
