import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPages } from '../../scripts/markdown.ts'
import { ROOT } from './site.ts'

const PROGRAMS = [
  'examples/*/*.ts',
  'examples/*/{model,site}/**/*.ts',
  'packages/create-daybook/templates/**/*.ts',
  'deploy/*.ts',
]
const NAME = '\\w*(?:SECRET|TOKEN|PASSWORD|KEY|GITHUB|FASTLY|CLOUDFLARE)\\w*'
/** Fallbacks for secret variables, which every reader of the code would know. */
const FALLBACKS = [
  new RegExp(`process\\.env\\.${NAME}\\s*(?:\\?\\?|\\|\\|)`, 'g'),
  new RegExp(`\\b${NAME}(?::\\s*\\w+)?\\s*=\\s*['"\`][^\\n]*\\}\\s*=\\s*process\\.env`, 'g'),
  /\b(?:secrets?|serviceToken)\s*[:=]\s*\[?\s*['"`](?!\$)[^'"`\n$]+['"`]/g,
]

const fallbacksIn = (text: string): readonly string[] =>
  FALLBACKS.flatMap((pattern) => [...text.matchAll(pattern)].map(([fallback]) => fallback))

test('no page, example or template contains a secret, or a fallback for one', async () => {
  const pages = await readPages(ROOT)
  const files = globSync(PROGRAMS, { cwd: ROOT, exclude: ['**/node_modules/**'] })
  const programs = files.map(async (file) => ({ file, text: await readFile(join(ROOT, file), 'utf8') }))
  const faults = [...pages, ...(await Promise.all(programs))].flatMap(({ file, text }) =>
    fallbacksIn(text).map((fallback) => `${file}: ${fallback}`),
  )
  expect(files.length).toBeGreaterThan(10)
  expect(faults).toEqual([])
})

test('a fallback for a secret is reported', () => {
  const fallbacks = [
    "secret: process.env.UPLOADS_SECRET ?? 'a secret for development'",
    "new Webhook(process.env.SITE_SECRET || '')",
    "const { GITHUB_ID = '', PORT = '3000' } = process.env",
    "const { API_TOKEN: token = 'x' } = process.env",
    "secrets: ['whsec_b25seSBm']",
    "{ serviceToken: 'a-token-of-at-least-32-characters' }",
  ]
  for (const text of fallbacks) expect(fallbacksIn(text), text).toHaveLength(1)
  expect(fallbacksIn("secret: process.env.UPLOADS_SECRET, port: process.env.PORT ?? '3000'")).toEqual([])
})
