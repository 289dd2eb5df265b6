import { DaybookError, ERRORS } from '../errors.ts'
import type { RequestHeaders } from './request.ts'

const TOKEN_REFUSED = 'The token of this request is not known here, or has expired. Send another one, or sign in again.'
const SCHEME = 'This needs a session. Write the header as Authorization: Bearer TOKEN.'
const COOKIE_REFUSED = 'No cookie of this request is a session, or it has ended. Sign in again.'

/** A refusal for want of a session, with what is wrong with the credential that was sent; other errors as they are. */
export function aboutCredential(error: DaybookError, headers: RequestHeaders): DaybookError {
  const { code, message, details } = error
  if (code !== 'UNAUTHORIZED' || message !== ERRORS.UNAUTHORIZED.message) return error
  const authorization = headers.get('authorization')
  const isBearer = authorization !== null && /^bearer +\S/i.test(authorization)
  if (authorization !== null) return new DaybookError(code, isBearer ? TOKEN_REFUSED : SCHEME, details, error)
  return headers.has('cookie') ? new DaybookError(code, COOKIE_REFUSED, details, error) : error
}
