import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { getErrorText } from '../../../api/error-texts.ts'
import type { ListPage } from '../../../api/live-changes.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { getEntryTitle } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { Button } from '../../../ui/controls/button.tsx'
import field from '../../../ui/controls/field.module.css'
import type { FieldEditorProps } from '../field-editor.ts'
import { useFormDocument } from '../field-editor.ts'
import styles from './relation.module.css'

const PAGE = 10

/** What refers to the entry, from the other side of a relation: it is read alone. */
export function ReverseEditor(props: FieldEditorProps): ReactNode {
  const { name } = useFormDocument()
  return name.id === null ? null : <Referrers {...props} collection={name.collection} id={name.id} />
}

interface ReferrersProps extends FieldEditorProps {
  readonly collection: string
  readonly id: string
}

function Referrers({ field: own, label, collection, id }: ReferrersProps): ReactNode {
  const { t } = useTexts()
  const [offset, setOffset] = useState(0)
  const from = useModel().collections.get(own.reverse?.collection ?? '')
  const { data, error } = useReferrers(collection, id, own.key, from?.titleField, offset)
  const total = data?.total ?? 0
  return (
    <div role="group" aria-label={label} className={field.field}>
      <p className={field.label}>
        {label}
        {data && <span className={styles.count}>{t.lists.entries(total)}</span>}
      </p>
      <p className={field.description}>{own.description ?? t.fields.referrers}</p>
      {error !== null && (
        <p role="alert" className={field.error}>
          {getErrorText(error, t)}
        </p>
      )}
      {from && total > 0 && (
        <ul className={styles.referrers}>
          {data?.items.map((item) => (
            <li key={item.id}>
              <Link to="/c/$collection/$id" params={{ collection: from.key, id: item.id }} dir="auto">
                {getEntryTitle(from, item) ?? t.lists.untitled}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {total > PAGE && (
        <div className={styles.actions}>
          <Button isDisabled={offset === 0} onPress={() => setOffset(offset - PAGE)}>
            {t.fields.earlier}
          </Button>
          <Button isDisabled={offset + PAGE >= total} onPress={() => setOffset(offset + PAGE)}>
            {t.fields.later}
          </Button>
        </div>
      )}
    </div>
  )
}

function useReferrers(collection: string, id: string, key: string, titleField: string | undefined, offset: number) {
  const { client } = useStudio()
  return useQuery({
    queryKey: queryKeys.previewCard(collection, id, `${key} ${offset}`),
    queryFn: async ({ signal }) => {
      const query = {
        include: [key],
        select: [`${key}.${titleField ?? 'id'}`],
        reverse: { [key]: { limit: PAGE, offset } },
      }
      // The fields come from the model, which types know nothing of.
      const entry = await client.collections[collection]?.findById(id, query as object, { signal })
      return ((entry as Readonly<Record<string, unknown>> | null)?.[key] ?? null) as ListPage | null
    },
    placeholderData: keepPreviousData,
  })
}
