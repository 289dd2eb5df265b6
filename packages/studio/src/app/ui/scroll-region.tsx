import type { ReactNode } from 'react'

export interface ScrollRegionProps {
  readonly label: string
  readonly className: string | undefined
  readonly children: ReactNode
}

export const ScrollRegion = ({ label, className, children }: ScrollRegionProps): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focusable element can be scrolled by keys (WCAG 2.1.1)
  <div data-scrolls className={className} role="region" aria-label={label} tabIndex={0}>
    {children}
  </div>
)
