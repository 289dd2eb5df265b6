import { type AuthActionDescription, DaybookError } from '@daybook/client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { getErrorText, getIssueText } from '../api/error-texts.ts'
import { type Studio, useStudio } from '../api/studio.ts'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { acceptsInvitation, type InvitationFromLink, readInvitation, useAuthActions } from './auth-actions.ts'
import styles from './sign-in.module.css'

/** A way to get a session. */
export type SignInMethod = 'login' | 'register' | 'token'

/** What a {@link SignInForm} takes. */
export interface SignInFormProps {
  /** Told which way the form shows. */
  readonly onMethodChange?: (way: SignInMethod) => void
  readonly onDone: () => void
}

/** The form that begins a session, by what the service offers: an account, a new account, or a token. */
export function SignInForm({ onMethodChange: onWay, onDone }: SignInFormProps): ReactNode {
  const actions = useAuthActions()
  const { t } = useTexts()
  const ways: readonly SignInMethod[] = [
    ...(['login', 'register'] as const).filter((one) => Object.hasOwn(actions, one)),
    'token',
  ]
  const [invited] = useState(() =>
    acceptsInvitation(actions.register?.input) ? readInvitation(location.hash) : undefined,
  )
  const [chosen, setWay] = useState<SignInMethod | undefined>(invited && 'register')
  const way = chosen ?? ways[0] ?? 'token'
  useEffect(() => onWay?.(way), [way, onWay])
  const texts = { login: t.session.toSignIn, register: t.session.toRegister, token: t.session.toToken }
  return (
    <div className={styles.form}>
      {invited && way === 'register' && <p>{t.session.invited(invited.email)}</p>}
      <WayForm key={way} way={way} input={actions[way]?.input} invited={invited} onDone={onDone} />
      {ways.length > 1 && (
        <ul className={styles.ways}>
          {ways
            .filter((one) => one !== way)
            .map((one) => (
              <li key={one}>
                <Button variant="quiet" onPress={() => setWay(one)}>
                  {texts[one]}
                </Button>
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}

interface WayFormProps {
  readonly way: SignInMethod
  /** The JSON Schema of what the action takes. */
  readonly input: AuthActionDescription['input']
  /** What the link says that led here. */
  readonly invited: InvitationFromLink | undefined
  readonly onDone: () => void
}

/** Texts that the person typed, by name. */
type Typed = Readonly<Record<string, string>>

/** What each way asks for; an invitation only where the service takes one and no link brought it. */
function namesOf({ way, input, invited }: WayFormProps): readonly string[] {
  if (way === 'token') return ['token']
  if (way === 'login') return ['email', 'password']
  if (invited) return ['name', 'password']
  return ['name', 'email', 'password', ...(acceptsInvitation(input) ? ['invitation'] : [])]
}

function WayForm(props: WayFormProps): ReactNode {
  const { way, invited, onDone } = props
  const studio = useStudio()
  const { t } = useTexts()
  const [typed, setTyped] = useState<Typed>({})
  const signIn = useMutation({
    mutationFn: () => beginSession(studio, way, way === 'register' ? { ...typed, ...invited } : typed),
    onSuccess: () => {
      // What was used is worth nothing in the address.
      if (invited) history.replaceState(history.state, '', location.pathname + location.search)
      onDone()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate()
  }
  const names = namesOf(props)
  const labels = labelsIn(t)
  return (
    <form onSubmit={submit} className={styles.fields}>
      {names.map((name, index) => (
        <TextField
          key={name}
          {...INPUTS[name]}
          label={labels[name] ?? name}
          description={name === 'token' ? t.session.tokenText : undefined}
          name={name}
          value={typed[name] ?? ''}
          onChange={(value) => setTyped((before) => ({ ...before, [name]: value }))}
          autoFocus={index === 0}
          isRequired
        />
      ))}
      {signIn.isError && <FormError>{sentenceFor(signIn.error, way, t)}</FormError>}
      <Button type="submit" variant="primary" isPending={signIn.isPending}>
        {way === 'register' ? t.session.register : t.session.signIn}
      </Button>
    </form>
  )
}

/** What the inputs are called, by name. */
const labelsIn = ({ session }: Messages): Readonly<Record<string, string | undefined>> => {
  const { name, email, password, invitation, token } = session
  return { name, email, password, invitation, token }
}

/** What browsers and password managers are told of each input. */
const INPUTS: Readonly<Record<string, { readonly type?: 'email' | 'password'; readonly autoComplete: string }>> = {
  name: { autoComplete: 'name' },
  email: { type: 'email', autoComplete: 'username' },
  password: { type: 'password', autoComplete: 'current-password' },
  invitation: { autoComplete: 'one-time-code' },
  token: { type: 'password', autoComplete: 'off' },
}

/** A refusal that the person can do something about. */
class SignInRefusal extends Error {
  readonly reason: 'tokenWrong' | 'secondFactor'

  constructor(reason: 'tokenWrong' | 'secondFactor') {
    super(reason)
    this.reason = reason
  }
}

async function beginSession({ client, token }: Studio, way: SignInMethod, typed: Typed): Promise<void> {
  if (way === 'token') {
    const given = typed.token?.trim() ?? ''
    const { authenticated } = await client.withToken(given).auth.session()
    if (!authenticated) throw new SignInRefusal('tokenWrong')
    return token.set(given)
  }
  const { authenticated } = await client
    .withToken(undefined)
    .auth.action<{ readonly authenticated: boolean }>(way, typed)
  if (!authenticated) throw new SignInRefusal('secondFactor')
  token.set(undefined)
}

function sentenceFor(error: unknown, way: SignInMethod, t: Messages): string {
  if (error instanceof SignInRefusal) return t.session[error.reason]
  if (!(error instanceof DaybookError)) return getErrorText(error, t)
  if (error.code === 'UNAUTHORIZED') return t.session.wrong
  if (error.code === 'CONFLICT' && way === 'register') return t.session.taken
  const [issue] = error.details.issues ?? []
  if (issue?.path === '/invitation') return t.session.invitationOver
  if (!issue) return getErrorText(error, t)
  const name = issue.path.replace(/^\//, '')
  return `${labelsIn(t)[name] ?? name}: ${getIssueText(issue, t)}`
}
