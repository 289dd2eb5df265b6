import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import styles from './languages.module.css'
import type { LocaleState } from './locale-values.ts'
import { type DocumentLanguages, type TranslationState, useLocaleName } from './use-languages.ts'

export interface LanguageBarProps {
  readonly languages: DocumentLanguages
  readonly isSourceShown: boolean
  readonly onShowSource: (isShown: boolean) => void
  /** Copies missing values from the source; absent if there are none, or the user may not edit. */
  readonly onCopyMissing: (() => void) | undefined
}

const TONES: Readonly<Record<LocaleState, BadgeTone>> = {
  source: 'neutral',
  whole: 'good',
  partial: 'waiting',
  missing: 'neutral',
}

/** Links to the languages of a document, with the state of each translation. */
export function LanguageBar({ languages, isSourceShown, onShowSource, onCopyMissing }: LanguageBarProps): ReactNode {
  const { t } = useTexts()
  const { locale, source, translations } = languages
  const getLocaleName = useLocaleName()
  return (
    <div className={styles.bar}>
      <nav aria-label={t.languages.title}>
        <ul className={styles.languages}>
          {translations.map((translation) => (
            <li key={translation.locale}>
              <LanguageLink
                translation={translation}
                isShown={translation.locale === locale}
                name={getLocaleName(translation.locale)}
              />
            </li>
          ))}
        </ul>
      </nav>
      {locale !== source && (
        <div className={styles.tools}>
          <Button variant="quiet" onPress={() => onShowSource(!isSourceShown)}>
            {isSourceShown ? t.languages.alone : t.languages.beside(getLocaleName(source))}
          </Button>
          {onCopyMissing && (
            <Button variant="quiet" onPress={onCopyMissing}>
              {t.languages.copyMissing(getLocaleName(source))}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

interface LanguageLinkProps {
  readonly translation: TranslationState
  readonly isShown: boolean
  readonly name: string
}

function LanguageLink({ translation, isShown, name }: LanguageLinkProps): ReactNode {
  const { t } = useTexts()
  const { locale, state, isOutdated } = translation
  return (
    <Link
      to="."
      search={(before: object) => ({ ...before, locale, field: undefined })}
      resetScroll={false}
      className={styles.language}
      aria-current={isShown}
    >
      <span>{name}</span>
      <Badge tone={isOutdated ? 'waiting' : TONES[state]}>
        {isOutdated ? t.languages.outdated : t.languages.states[state]}
      </Badge>
    </Link>
  )
}
