import type { Case } from './case.ts'
import { CONTENT } from './content.ts'
import { DRAFTS } from './drafts.ts'
import { FAULTS } from './faults.ts'
import { FILES } from './files.ts'
import { LIVE } from './live.ts'
import { SESSIONS } from './sessions.ts'

export const CASES: readonly Case[] = [...CONTENT, ...DRAFTS, ...SESSIONS, ...FILES, ...FAULTS, ...LIVE]
