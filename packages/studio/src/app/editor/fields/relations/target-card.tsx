import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode, RefObject } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import { getErrorText } from '../../../api/error-texts.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import type { StudioCollection, StudioField } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { getButtonClass } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import menu from '../../../ui/overlays/menu.module.css'
import { isRecord, type Values } from '../../saving/field-values.ts'
import styles from './relation.module.css'
import type { Reference } from './relation-targets.ts'

export interface TargetCardProps {
  readonly reference: Reference
  readonly title: string
  readonly anchor: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** The maximum number of fields, and of characters of a text. */
const MAX_FIELDS = 4
const MAX_TEXT_LENGTH = 200
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  'text',
  'markdown',
  'integer',
  'number',
  'date',
  'datetime',
  'select',
  'status',
  'email',
  'url',
  'slug',
])

/** A card with some fields of a target, and a link that opens it in another tab. */
export function TargetCard({ reference, title, anchor, onClose }: TargetCardProps): ReactNode {
  const { t } = useTexts()
  const router = useRouter()
  const collection = useModel().collections.get(reference.collection)
  const link = { to: '/c/$collection/$id', params: { collection: reference.collection, id: reference.id } } as const
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={anchor}
      placement="bottom start"
      className={menu.popover ?? ''}
    >
      <Dialog aria-label={title} className={styles.card ?? ''}>
        <p className={styles.cardTitle} dir="auto">
          {title}
        </p>
        {collection && <CardFields reference={reference} collection={collection} />}
        <a href={router.buildLocation(link).publicHref} target="_blank" rel="noreferrer" className={getButtonClass()}>
          <Icon name="external" />
          {t.fields.openInTab}
        </a>
      </Dialog>
    </Popover>
  )
}

function CardFields({
  reference: { id },
  collection,
}: {
  readonly reference: Reference
  readonly collection: StudioCollection
}): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const { key, statusField, titleField } = collection
  const shownFields = collection.fields
    .filter((field) => SHOWN_TYPES.has(field.type) && !field.many && field.key !== titleField)
    .slice(0, MAX_FIELDS)
  const { data, error, isPending } = useQuery({
    queryKey: queryKeys.previewCard(key, id, 'fields'),
    queryFn: ({ signal }) => {
      const query = { select: shownFields.map((field) => field.key), ...(statusField === null ? {} : { draft: true }) }
      // The types do not know the fields, which come from the model.
      return client.collections[key]?.findById(id, query as object, { signal }) as Promise<Values | null>
    },
  })
  if (error) return <p role="alert">{getErrorText(error, t)}</p>
  if (isPending) return <p role="status">{t.common.loading}</p>
  return (
    <dl className={styles.facts}>
      {shownFields.map((field) => (
        <CardField key={field.key} field={field} value={isRecord(data) ? data[field.key] : null} />
      ))}
    </dl>
  )
}

function CardField({ field, value }: { readonly field: StudioField; readonly value: unknown }): ReactNode {
  if (value === null || value === undefined || value === '') return null
  return (
    <>
      <dt>{field.label}</dt>
      <dd dir="auto">{String(value).slice(0, MAX_TEXT_LENGTH)}</dd>
    </>
  )
}
