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
import fieldStyles from '../../../ui/controls/field.module.css'
import { type FieldEditorProps, useFormDocument } from '../field-editor.ts'
import styles from './relation.module.css'

const PAGE_SIZE = 10

/** The entries that refer to this one, from the other side of a relation. Read-only. */
export function ReverseEditor(props: FieldEditorProps): ReactNode {
  const { collection, id } = useFormDocument().documentRef
  return id === null ? null : <Referrers {...props} collection={collection} id={id} />
}

interface ReferrersProps extends FieldEditorProps {
  readonly collection: string
  readonly id: string
}

function Referrers({ field, label, collection, id }: ReferrersProps): ReactNode {
  const { t } = useTexts()
  const [offset, setOffset] = useState(0)
  const source = useModel().collections.get(field.reverse?.collection ?? '')
  const { data, error } = useReferrers(collection, id, field.key, source?.titleField, offset)
  const total = data?.total ?? 0
  return (
    <div role="group" aria-label={label} className={fieldStyles.field}>
      <p className={fieldStyles.label}>
        {label}
        {data && <span className={styles.count}>{t.lists.entries(total)}</span>}
      </p>
      <p className={fieldStyles.description}>{field.description ?? t.fields.referrers}</p>
      {error !== null && (
        <p role="alert" className={fieldStyles.error}>
          {getErrorText(error, t)}
        </p>
      )}
      {source && total > 0 && (
        <ul className={styles.referrers}>
          {data?.items.map((item) => (
            <li key={item.id}>
              <Link to="/c/$collection/$id" params={{ collection: source.key, id: item.id }} dir="auto">
                {getEntryTitle(source, item) ?? t.lists.untitled}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {total > PAGE_SIZE && (
        <div className={styles.actions}>
          <Button isDisabled={offset === 0} onPress={() => setOffset(offset - PAGE_SIZE)}>
            {t.fields.earlier}
          </Button>
          <Button isDisabled={offset + PAGE_SIZE >= total} onPress={() => setOffset(offset + PAGE_SIZE)}>
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
        reverse: { [key]: { limit: PAGE_SIZE, offset } },
      }
      // The types do not know the fields, which come from the model.
      const entry = await client.collections[collection]?.findById(id, query as object, { signal })
      return ((entry as Readonly<Record<string, unknown>> | null)?.[key] ?? null) as ListPage | null
    },
    placeholderData: keepPreviousData,
  })
}
