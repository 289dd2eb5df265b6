import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { buttonClass } from '../ui/controls/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page } from './page.tsx'

/** What stands at an address that leads nowhere. */
export function MissingPage({ title, text }: { readonly title?: string; readonly text?: string }): ReactNode {
  const { t } = useTexts()
  return (
    <Page title={title ?? t.errors.notFound}>
      <Notice text={text ?? t.errors.notFoundText}>
        <Link to="/" className={buttonClass()}>
          {t.errors.toOverview}
        </Link>
      </Notice>
    </Page>
  )
}
