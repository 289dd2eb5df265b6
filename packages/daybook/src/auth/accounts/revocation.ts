import type { AuthRecord, RecordReader, RecordWriter } from '../records.ts'

/** Returns the kind of the records that store rows of a model of better-auth, such as `user`. */
export const getRecordKind = (model: string): string => `better-auth ${model}`

/** A change of a row of better-auth: the row before it, and the fields that it sets. */
export interface RowChange {
  readonly model: string
  readonly row: AuthRecord
  readonly update: Readonly<Record<string, unknown>>
}

/** The fields by model that decide whether a session is valid, and for which caller. A new name or picture changes no session. */
const CALLER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  user: ['role', 'banned', 'banExpires', 'email', 'emailVerified'],
  session: ['userId', 'token', 'expiresAt'],
}

/**
 * Revokes credentials that a change of an account makes invalid, in the transaction of the change. A new password and a ban end all sessions
 * and delete all outstanding verifications: links to set a password, sign-in links, codes and trusted devices. A new e-mail address deletes
 * only the verifications, because they were sent to the former address. A change of a caller notes a session change.
 */
export async function revokeAfterChange(writer: RecordWriter, change: RowChange): Promise<void> {
  const { model, row, update } = change
  if (changesCaller(change)) await writer.noteSessionChange()
  const hasNewPassword = model === 'account' && typeof update.password === 'string'
  const isBan = model === 'user' && update.banned === true
  const hasNewEmail = model === 'user' && update.email !== undefined && update.email !== row.email
  if (!hasNewPassword && !isBan && !hasNewEmail) return
  const user = model === 'user' ? row : await readUser(writer, String(row.userId))
  if (hasNewPassword || isBan) await deleteSessions(writer, user)
  await deleteVerifications(writer, user)
}

const changesCaller = ({ model, row, update }: RowChange): boolean =>
  (CALLER_FIELDS[model] ?? []).some(
    (field) => Object.hasOwn(update, field) && (update[field] ?? null) !== (row[field] ?? null),
  )

/** Revokes the credentials of removed rows of better-auth, in the transaction of their removal. */
export async function revokeAfterRemoval(
  writer: RecordWriter,
  model: string,
  rows: readonly AuthRecord[],
): Promise<void> {
  if (model === 'session' && rows.length > 0) await writer.noteSessionChange()
  if (model !== 'user') return
  for (const user of rows) {
    await deleteSessions(writer, user)
    await deleteVerifications(writer, user)
  }
}

async function readUser(reader: RecordReader, id: string): Promise<AuthRecord> {
  return (await reader.get(getRecordKind('user'), id)) ?? { id }
}

async function deleteSessions(writer: RecordWriter, user: AuthRecord): Promise<void> {
  const kind = getRecordKind('session')
  const sessions = await writer.find(kind, 'userId', user.id)
  for (const { id } of sessions) await writer.delete(kind, id)
  if (sessions.length > 0) await writer.noteSessionChange()
}

async function deleteVerifications(writer: RecordWriter, user: AuthRecord): Promise<void> {
  const kind = getRecordKind('verification')
  const owner = { userId: user.id, email: user.email, phoneNumber: user.phoneNumber }
  for (const [field, value] of Object.entries(owner)) {
    if (typeof value !== 'string') continue
    for (const { id } of await writer.find(kind, field, value)) await writer.delete(kind, id)
  }
}

const OWNER_FIELD = { type: 'string', required: false, input: false, returned: false, index: true } as const

/** The fields of a verification that identify its account, because its identifier is stored as a digest. */
export const OWNER_FIELDS: Readonly<Record<'userId' | 'email' | 'phoneNumber', typeof OWNER_FIELD>> = {
  userId: OWNER_FIELD,
  email: OWNER_FIELD,
  phoneNumber: OWNER_FIELD,
}

/**
 * Returns the owner fields of a new verification.
 *
 * @param value the value of the verification: the id of a user, JSON, or a code
 * @param body the body of the request that creates it
 */
export function findVerificationOwner(
  value: string,
  body: unknown,
): Partial<Record<keyof typeof OWNER_FIELDS, string>> {
  const { email, phoneNumber } = (body ?? {}) as Readonly<Record<string, unknown>>
  return {
    userId: findLinkedUser(value) ?? value,
    ...(typeof email === 'string' ? { email: email.toLowerCase() } : {}),
    ...(typeof phoneNumber === 'string' ? { phoneNumber } : {}),
  }
}

/** Returns the user to whom a running social sign-in links another account. */
const findLinkedUser = (value: string): string | undefined => /"link":\{[^{}]*"userId":"([^"]+)"/.exec(value)?.[1]
