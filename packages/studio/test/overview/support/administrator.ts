import type { TestService } from 'daybook/testing'
import { makeAdministrator } from '../../support/administrator.ts'

const CONFIG = new URL('accounts.config.ts', import.meta.url)

/** Makes Inés an administrator of the accounts of this folder's config. */
export const makeManager = (service: TestService): Promise<void> => makeAdministrator(service, CONFIG)
