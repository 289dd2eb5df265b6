import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { getErrorText } from '../api/error-texts.ts'
import { useObservable } from '../api/observable.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { LANGUAGES, type Language, useAdministrationTexts } from '../messages/messages.tsx'
import { getUserName, useSession } from '../session/use-session.ts'
import { Page } from '../shell/page.tsx'
import { type Theme, usePreferences } from '../shell/preferences.ts'
import { Button } from '../ui/controls/button.tsx'
import { ChoiceField } from '../ui/controls/choice-field.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { useToast } from '../ui/overlays/toasts.tsx'
import styles from './accounts.module.css'

/** The user's name, password and sessions, if the service keeps accounts; theme and language for everybody. */
export function ProfilePage(): ReactNode {
  const { t } = useAdministrationTexts()
  const { identity, principal } = useSession()
  const hasAccount = identity?.provider === 'better-auth'
  return (
    <Page title={t.administration.profile}>
      {typeof principal?.email === 'string' && (
        <p className={styles.note}>
          {principal.email} · {identity?.roles.join(', ')}
        </p>
      )}
      {hasAccount && <NameForm />}
      <Appearance />
      {hasAccount && <PasswordForm />}
      {hasAccount && <Sessions />}
    </Page>
  )
}

/** Sends a request to the account library. */
function useAccountRequest() {
  const { client } = useStudio()
  return (name: string, body: object): Promise<unknown> =>
    client.request({ method: 'POST', path: `/api/auth/${name}`, body })
}

function NameForm(): ReactNode {
  const { t } = useAdministrationTexts()
  const request = useAccountRequest()
  const queries = useQueryClient()
  const toast = useToast()
  const session = useSession()
  const [name, setName] = useState(getUserName(session))
  const save = useMutation({
    mutationFn: () => request('update-user', { name }),
    onSuccess: () => {
      queries.setQueryData(queryKeys.session, { ...session, principal: { ...session.principal, name } })
      toast({ text: t.profile.saved })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className={styles.section} onSubmit={submit}>
      <TextField
        label={t.session.name}
        description={t.profile.nameText}
        value={name}
        onChange={setName}
        autoComplete="name"
        isRequired
      />
      {save.error && <FormError>{getErrorText(save.error, t)}</FormError>}
      <div>
        <Button type="submit" isDisabled={name.trim() === ''} isPending={save.isPending}>
          {t.common.save}
        </Button>
      </div>
    </form>
  )
}

function Appearance(): ReactNode {
  const { t, language } = useAdministrationTexts()
  const { theme, chooseLanguage } = usePreferences()
  const current = useObservable(theme.theme)
  const { themes } = t.shell
  return (
    <section className={styles.section}>
      <h2>{t.profile.appearance}</h2>
      <ChoiceField
        label={t.shell.theme}
        value={current}
        options={(['system', 'light', 'dark'] as const).map((id) => ({ id, label: themes[id] }))}
        onChange={(id) => theme.choose(id as Theme)}
      />
      <ChoiceField
        label={t.shell.language}
        value={language}
        options={LANGUAGES}
        onChange={(id) => chooseLanguage(id as Language)}
      />
    </section>
  )
}

/** A new password ends all other sessions. */
function PasswordForm(): ReactNode {
  const { t } = useAdministrationTexts()
  const request = useAccountRequest()
  const queries = useQueryClient()
  const toast = useToast()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const change = useMutation({
    mutationFn: () => request('change-password', { currentPassword, newPassword }),
    onSuccess: () => {
      setCurrent('')
      setNew('')
      toast({ text: t.profile.passwordChanged })
      void queries.invalidateQueries({ queryKey: SESSIONS })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate()
  }
  return (
    <form className={styles.section} onSubmit={submit}>
      <h2>{t.profile.changePassword}</h2>
      <TextField
        label={t.profile.currentPassword}
        type="password"
        autoComplete="current-password"
        value={currentPassword}
        onChange={setCurrent}
        isRequired
      />
      <TextField
        label={t.profile.newPassword}
        description={t.profile.newPasswordText}
        type="password"
        autoComplete="new-password"
        value={newPassword}
        onChange={setNew}
        isRequired
      />
      {change.error && (
        <FormError>
          {/password/i.test(change.error.message) ? t.profile.passwordRefused : getErrorText(change.error, t)}
        </FormError>
      )}
      <div>
        <Button
          type="submit"
          isDisabled={currentPassword === '' || newPassword.length < 8}
          isPending={change.isPending}
        >
          {t.profile.changePassword}
        </Button>
      </div>
    </form>
  )
}

const SESSIONS = ['sessions']

function Sessions(): ReactNode {
  const { t } = useAdministrationTexts()
  const { client } = useStudio()
  const request = useAccountRequest()
  const queries = useQueryClient()
  const toast = useToast()
  const { data } = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => client.request<readonly object[]>({ path: '/api/auth/list-sessions', signal }),
    staleTime: 0,
  })
  const end = useMutation({
    mutationFn: () => request('revoke-other-sessions', {}),
    onSuccess: () => toast({ text: t.profile.sessionsEnded }),
    onError: (error) => toast({ kind: 'failed', text: getErrorText(error, t) }),
    onSettled: () => void queries.invalidateQueries({ queryKey: SESSIONS }),
  })
  const otherSessions = Math.max(0, (data?.length ?? 1) - 1)
  return (
    <section className={styles.section}>
      <h2>{t.profile.sessions}</h2>
      <p role="status">{t.profile.otherSessions(otherSessions)}</p>
      {otherSessions > 0 && (
        <div>
          <Button onPress={() => end.mutate()} isPending={end.isPending}>
            {t.profile.endOthers}
          </Button>
        </div>
      )}
    </section>
  )
}
