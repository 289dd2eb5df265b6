import { DaybookError } from '@daybook/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { placeName } from '../../model/place-name.ts'
import { type StudioCollection, titleOf } from '../../model/studio-model.ts'
import { errorText } from '../../talk/error-texts.ts'
import { issueText } from '../../talk/issue-text.ts'
import { keys } from '../../talk/keys.ts'
import type { ListPage } from '../../talk/list-page.ts'
import { useStudio } from '../../talk/studio.ts'
import styles from './bulk.module.css'
import type { Refusal } from './bulk-run.ts'

/** What a {@link Refusals} takes. */
export interface RefusalsProps {
  readonly collection: StudioCollection
  readonly refusals: readonly Refusal[]
}

/** The entries that cannot be changed so, each with its reason. */
export function Refusals({ collection, refusals }: RefusalsProps): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const { key, titleField } = collection
  const ids = refusals.map(({ id }) => id)
  const { data } = useQuery({
    queryKey: [...keys.lists(key), 'titles', ids],
    queryFn: async ({ signal }) => {
      const query = { where: { id: { in: ids } }, select: [titleField ?? 'id'], limit: ids.length }
      return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
    },
  })
  const titles = new Map(data?.items.map((item) => [item.id, titleOf(collection, item)]))
  return (
    <section aria-label={t.lists.bulk.refused(refusals.length)}>
      <p>{t.lists.bulk.refused(refusals.length)}</p>
      <ul className={styles.refusals}>
        {refusals.map(({ id, error }) => (
          <li key={id}>
            <bdi>{titles.get(id) ?? id}</bdi>
            <p className={styles.why}>{failureText(error, t)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Why an entry refuses a change, with each of its fields that is at fault. */
export const failureText = (error: unknown, t: Messages): string =>
  [errorText(error, t), ...issuesOf(error, t)].join(' ')

/** What is wrong with which field: `Title: is required.` */
function issuesOf(error: unknown, t: Messages): readonly string[] {
  const issues = error instanceof DaybookError ? (error.details.issues ?? []) : []
  return issues.map((issue) => {
    const place = issue.path.replace(/^\/operations\/\d+(?:\/data)?\/?/, '').replaceAll('/', '.')
    const text = issueText(issue, t)
    return `${place === '' ? text : `${placeName(place)}: ${text}`}.`
  })
}
