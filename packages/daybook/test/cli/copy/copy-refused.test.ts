import { f } from 'daybook'
import { beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../support/network/free-port.ts'
import { daybook } from '../cli.ts'
import { serve } from './copy-content.ts'
import { CopyPlace, change } from './copy-place.ts'

let scene: CopyPlace

beforeEach(async () => {
  scene = await CopyPlace.make()
  return () => scene[Symbol.asyncDispose]()
})

describe('daybook copy rejects, with advice:', () => {
  const small = {
    collections: { notes: { fields: { text: f.text(), gone: f.text() } }, old: { fields: { a: f.text() } } },
  }
  const CONFIGS = {
    'daybook.config.ts':
      'export default { collections: { notes: { fields: { text: f.text(), gone: f.text() } }, old: { fields: { a: f.text() } } } }',
    'renamed.ts':
      "export default { collections: { notes: { fields: { text: f.text(), came: f.text({ renamedFrom: 'gone' }) } }, old: { fields: { a: f.text() } } } }",
    'less.ts': 'export default { collections: { notes: { fields: { text: f.text(), gone: f.text() } } } }',
  }

  beforeEach(async () => {
    const files = Object.entries(CONFIGS).map(([name, text]) => [name, `import { f } from 'DAYBOOK'\n${text}\n`])
    await scene.folder.write({
      ...Object.fromEntries(files),
      'text.db': 'This is no database, but a text that is long enough.',
    })
    await serve(small, { data: scene.at('source') }, ({ content }) =>
      content.create('notes', { text: 'a', gone: 'b' } as never),
    )
  })

  const refused = async (status: number, said: string, ...args: readonly string[]): Promise<void> => {
    const ended = await daybook(scene.folder.path, 'copy', ...args)
    expect(ended).toMatchObject({ status, stdout: '' })
    expect(ended.stderr).toContain(said)
    expect(ended.stderr).not.toContain('    at ')
    const password = URL.parse(scene.database.url)?.password ?? ''
    expect(password).not.toBe('')
    expect(ended.stderr).not.toContain(password)
  }

  test('no target', () => refused(2, 'Two stores are required: daybook copy --from', '--from', 'sqlite:source'))
  test('a folder without sqlite:', () =>
    refused(
      1,
      '--to is not the address of a store. Write sqlite:FOLDER or',
      '--from',
      'sqlite:source',
      '--to',
      'target',
    ))
  test('another kind of database', () =>
    refused(
      1,
      '--from is not the address of a store',
      '--from',
      scene.database.url.replace('postgres', 'mysql'),
      '--to',
      'sqlite:target',
    ))
  test('a missing source', () =>
    refused(
      1,
      'nowhere/daybook.db does not exist. Check --from.',
      '--from',
      'sqlite:nowhere',
      '--to',
      scene.database.url,
    ))
  test('a source that is not a database', () =>
    refused(1, 'text.db is damaged, or no database of SQLite.', '--from', 'sqlite:text.db', '--to', scene.database.url))
  test('a source without a store', () =>
    refused(
      1,
      'does not contain a Daybook store. Check the address.',
      '--from',
      scene.database.url,
      '--to',
      'sqlite:target',
    ))
  test('the same folder twice', () =>
    refused(1, '--from and --to are the same store', '--from', 'sqlite:source', '--to', 'sqlite:./source/daybook.db'))
  test('the same database twice', () =>
    refused(
      1,
      '--from and --to are the same store',
      '--from',
      scene.database.url,
      '--to',
      scene.database.url.replace('postgres:', 'postgresql:'),
    ))

  test('a server that does not respond', async () => {
    const url = new URL(scene.database.url)
    url.port = String(await freePort())
    await refused(1, 'that host, port and TLS in --to are right', '--from', 'sqlite:source', '--to', url.href)
  })

  test('a wrong password', async () => {
    const url = new URL(scene.database.url)
    url.password = `${url.password}wrong`
    await refused(1, 'rejects this user or password. Check --from.', '--from', url.href, '--to', 'sqlite:target')
  })

  test('a password with a slash that is not encoded', () =>
    refused(
      1,
      '--to has an @ that does not end a user and password.',
      '--from',
      'sqlite:source',
      '--to',
      'postgres://me:12/34@127.0.0.1/site',
    ))

  test('a source of another version of Daybook', async () => {
    change(scene.fileOf('source'), "UPDATE daybook$meta SET value = '99' WHERE key = 'layout'")
    await refused(
      1,
      'made by another version of Daybook (layout 99',
      '--from',
      'sqlite:source',
      '--to',
      scene.database.url,
    )
  })

  test('a source with pending renames', () =>
    refused(
      1,
      'notes.came gets the values of gone (1)',
      '--config',
      'renamed.ts',
      '--from',
      'sqlite:source',
      '--to',
      scene.database.url,
    ))

  test('a source with collections that the config does not have', () =>
    refused(
      1,
      'collections that are not in the config: old.',
      '--config',
      'less.ts',
      '--from',
      'sqlite:source',
      '--to',
      scene.database.url,
    ))

  test('a target that contains a store', async () => {
    const args = ['--from', 'sqlite:source', '--to', scene.database.url]
    expect(await daybook(scene.folder.path, 'copy', ...args)).toMatchObject({ status: 0 })
    await refused(1, 'holds a store already. Copy into an empty database', ...args)
    await refused(1, 'holds a store already', '--from', scene.database.url, '--to', 'sqlite:source')
  })

  test('a target with foreign tables', async () => {
    await scene.database.rows('CREATE TABLE customers (id int)')
    await refused(
      1,
      'holds tables already: customers. Copy into an empty database',
      '--from',
      'sqlite:source',
      '--to',
      scene.database.url,
    )
    expect(await scene.database.rows("SELECT relname FROM pg_class WHERE relname LIKE 'daybook%'")).toEqual([])
  })

  test('--verify-only with a target that lacks the collections of the source', async () => {
    await serve({ collections: { notes: small.collections.notes } }, { data: scene.at('target') }, async () => {})
    await refused(
      1,
      'These collections are missing in sqlite:',
      '--verify-only',
      '--from',
      'sqlite:source',
      '--to',
      'sqlite:target',
    )
  })
})
