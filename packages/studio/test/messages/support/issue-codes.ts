import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const SERVICE = fileURLToPath(new URL('../../../../daybook/src/', import.meta.url))

/** How the service writes an issue: a path, a code, and a sentence. */
const WRITTEN: readonly RegExp[] = [
  /\b(?:invalidAt|[fF]ault|faults\.add)\(\s*[^,;]+,\s*'([a-zA-Z_]+)',/g,
  /\bcode: '([a-z][a-zA-Z_]+)'(?! in)/g,
]

/** The rules of JSON Schema that the fields of a config can break (`model/validator.ts` writes them all as issues). */
const OF_SCHEMAS: readonly string[] = [
  'type',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'pattern',
  'format',
  'enum',
  'uniqueItems',
  'discriminator',
]

/** Every code of an issue in the sources of the service. */
export async function issueCodes(): Promise<readonly string[]> {
  const codes = new Set(OF_SCHEMAS)
  for await (const path of glob('**/*.ts', { cwd: SERVICE })) {
    if (/^(?:config|cli)\//.test(path)) continue
    const source = await readFile(SERVICE + path, 'utf8')
    for (const form of WRITTEN) for (const [, code] of source.matchAll(form)) if (code !== undefined) codes.add(code)
  }
  return [...codes].sort()
}
