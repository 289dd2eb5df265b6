import type { ReactNode } from 'react'
import { useAdministrationTexts } from '../../messages/use-administration-texts.ts'
import { useModel } from '../../model/use-model.ts'
import { Checkbox } from '../../ui/controls/checkbox.tsx'
import styles from '../accounts.module.css'

const ACTIONS = ['read', 'create', 'update', 'delete'] as const
/** There is one of a global, which nobody makes or deletes. */
const GLOBAL_ACTIONS = ['read', 'update'] as const

/** What {@link ScopeTable} takes. */
export interface ScopeTableProps {
  /** Such as `posts:update`, `globals.site:read`. */
  readonly scopes: ReadonlySet<string>
  readonly onChange: (scopes: ReadonlySet<string>) => void
}

/** What a token may do with each collection and global. */
export function ScopeTable({ scopes, onChange }: ScopeTableProps): ReactNode {
  const { t } = useAdministrationTexts()
  const { collections, globals } = useModel()
  const documents = [
    ...[...collections.values()].map(({ key, label }) => ({ name: key, label, actions: ACTIONS })),
    ...[...globals.values()].map(({ key, label }) => ({ name: `globals.${key}`, label, actions: GLOBAL_ACTIONS })),
  ]
  const toggle = (scope: string, isOn: boolean): void => {
    const next = new Set(scopes)
    if (isOn) next.add(scope)
    else next.delete(scope)
    onChange(next)
  }
  return (
    <div className={styles.scopes}>
      {documents.map(({ name, label, actions }) => (
        <fieldset key={name} className={styles.scope}>
          <legend>{label}</legend>
          {actions.map((action) => (
            <Checkbox
              key={action}
              label={t.tokens.actions[action]}
              isSelected={scopes.has(`${name}:${action}`)}
              onChange={(isOn) => toggle(`${name}:${action}`, isOn)}
            />
          ))}
        </fieldset>
      ))}
    </div>
  )
}
