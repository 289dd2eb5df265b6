import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { FieldDescription } from 'daybook'
import type { ReactNode, RefObject } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import { getErrorText } from '../../../api/error-texts.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { type StudioCollection, toLabel } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { buttonClass } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import menu from '../../../ui/overlays/menu.module.css'
import { isRecord, type Values } from '../../saving/field-values.ts'
import styles from './relation.module.css'
import type { Reference } from './relation-targets.ts'

/** What a {@link TargetCard} takes. */
export interface TargetCardProps {
  readonly reference: Reference
  readonly title: string
  readonly anchor: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** How many fields are shown, and how much of a text, in characters. */
const MOST_FIELDS = 4
const MOST_TEXT = 200
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

/** A look at an entry that is referred to, with a link that opens it in another tab. */
export function TargetCard({ reference, title, anchor, onClose }: TargetCardProps): ReactNode {
  const { t } = useTexts()
  const router = useRouter()
  const collection = useModel().collections.get(reference.collection)
  const place = { to: '/c/$collection/$id', params: { collection: reference.collection, id: reference.id } } as const
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={anchor}
      placement="bottom start"
      className={menu.popover ?? ''}
    >
      <Dialog aria-label={title} className={styles.glimpse ?? ''}>
        <p className={styles.glimpseTitle} dir="auto">
          {title}
        </p>
        {collection && <GlimpseFields reference={reference} collection={collection} />}
        <a href={router.buildLocation(place).publicHref} target="_blank" rel="noreferrer" className={buttonClass()}>
          <Icon name="external" />
          {t.fields.openInTab}
        </a>
      </Dialog>
    </Popover>
  )
}

function GlimpseFields({
  reference: { id },
  collection,
}: {
  readonly reference: Reference
  readonly collection: StudioCollection
}): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const { key, statusField, titleField } = collection
  const shown = collection.fields
    .filter(({ key: one, type, many }) => SHOWN_TYPES.has(type) && !many && one !== titleField)
    .slice(0, MOST_FIELDS)
  const { data, error, isPending } = useQuery({
    queryKey: queryKeys.previewCard(key, id, 'fields'),
    queryFn: ({ signal }) => {
      const query = { select: shown.map((one) => one.key), ...(statusField === null ? {} : { draft: true }) }
      // The fields come from the model, which types know nothing of.
      return client.collections[key]?.findById(id, query as object, { signal }) as Promise<Values | null>
    },
  })
  if (error) return <p role="alert">{getErrorText(error, t)}</p>
  if (isPending) return <p role="status">{t.common.loading}</p>
  return (
    <dl className={styles.facts}>
      {shown.map((one) => (
        <GlimpseField key={one.key} field={one} value={isRecord(data) ? data[one.key] : null} />
      ))}
    </dl>
  )
}

function GlimpseField({ field, value }: { readonly field: FieldDescription; readonly value: unknown }): ReactNode {
  if (value === null || value === undefined || value === '') return null
  return (
    <>
      <dt>{toLabel(field.key)}</dt>
      <dd dir="auto">{String(value).slice(0, MOST_TEXT)}</dd>
    </>
  )
}
