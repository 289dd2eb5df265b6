import { DaybookError } from '@daybook/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ListPage } from '../../api/client.ts'
import { getErrorText, getIssueText } from '../../api/error-texts.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { formatPath, getEntryTitle, type StudioCollection } from '../../model/studio-model.ts'
import styles from './bulk.module.css'
import type { Refusal } from './bulk-run.ts'

export interface RefusalsProps {
  readonly collection: StudioCollection
  readonly refusals: readonly Refusal[]
}

/** The entries that reject an action, with the reasons. */
export function Refusals({ collection, refusals }: RefusalsProps): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const { key, titleField } = collection
  const ids = refusals.map(({ id }) => id)
  const { data } = useQuery({
    queryKey: [...queryKeys.lists(key), 'titles', ids],
    queryFn: async ({ signal }) => {
      const query = { where: { id: { in: ids } }, select: [titleField ?? 'id'], limit: ids.length }
      return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
    },
  })
  const titles = new Map(data?.items.map((item) => [item.id, getEntryTitle(collection, item)]))
  return (
    <section aria-label={t.lists.bulk.refused(refusals.length)}>
      <p>{t.lists.bulk.refused(refusals.length)}</p>
      <ul className={styles.refusals}>
        {refusals.map(({ id, error }) => (
          <li key={id}>
            <bdi>{titles.get(id) ?? id}</bdi>
            <p className={styles.why}>{formatFailure(error, t, collection)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

export const formatFailure = (error: unknown, t: Messages, collection: StudioCollection): string =>
  [getErrorText(error, t), ...formatIssues(error, t, collection)].join(' ')

/** Formats issues with their fields: `Title: This field is required.` */
function formatIssues(error: unknown, t: Messages, { fields }: StudioCollection): readonly string[] {
  const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
  return issues.map((issue) => {
    const path = issue.path.replace(/^\/operations\/\d+(?:\/data)?\/?/, '').replaceAll('/', '.')
    // The service's own messages end with a full stop.
    const text = getIssueText(issue, t).replace(/\.$/, '')
    return `${path === '' ? text : `${formatPath(path, fields)}: ${text}`}.`
  })
}
