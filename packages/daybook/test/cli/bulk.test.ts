import { describe, expect, it } from 'vitest'
import { daybook, type Ended, folderOf } from './cli.ts'

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({
  collections: {
    notes: {
      fields: { title: f.text({ required: true }), code: f.text({ unique: true }), rank: f.number() },
      validate: ({ rank }) => (Number(rank) > 99 ? [{ path: '/rank', message: 'is too high' }] : []),
    },
  },
  seed: async (content) => {
    for (const rank of [1, 2, 3]) await content.create('notes', { title: 'Note ' + rank, rank })
  },
})
`

async function notes() {
  const folder = await folderOf({ 'daybook.config.ts': CONFIG })
  const run = (...args: readonly string[]): Promise<Ended> => daybook(folder.path, ...args)
  return { run, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

describe('daybook update and daybook delete', () => {
  it('change and delete matching entries, and print their number; a dry run stores nothing', async () => {
    await using place = await notes()
    const { run } = place
    const dry = await run('update', 'notes', '--where', 'rank[gte]=2', '--set', 'rank=7', '--dry-run')
    expect([dry.status, dry.stdout]).toEqual([0, '2 of 2 entries of notes would have been updated\n'])
    const done = await run('update', 'notes', '--where', 'rank[gte]=2', '--set', 'rank=7', '--set', 'title=Seven')
    expect([done.status, done.stdout]).toEqual([0, '2 of 2 entries of notes updated\n'])
    const again = await run('update', 'notes', '--where', 'title=Seven', '--json', '{"rank":7}')
    expect(again.stdout).toBe('0 of 2 entries of notes updated\n')
    const gone = await run('delete', 'notes', '--where', 'rank=7')
    expect([gone.status, gone.stdout]).toEqual([0, '2 of 2 entries of notes deleted\n'])
    expect((await run('delete', 'notes', '--where', 'id[exists]=true')).stdout).toBe(
      '1 of 1 entries of notes deleted\n',
    )
  })

  it('store nothing of a rejected step, name the entries, and end with status 1', async () => {
    await using place = await notes()
    const { status, stdout, stderr } = await place.run(
      'update',
      'notes',
      '--where',
      'id[exists]=true',
      '--set',
      'code=x',
    )
    expect([status, stdout]).toEqual([1, '0 of 3 entries of notes updated\n'])
    expect(stderr).toMatch(/Rejected: Entry \S+: This code is already used by another entry\.\n/)
    const raised = await place.run('update', 'notes', '--where', 'rank[gte]=2', '--json', '{"rank":100}')
    expect(raised.status).toBe(1)
    expect(raised.stderr).toMatch(/Rejected: Entry (\S{36}): rank is too high\. Also rejected: (?!\1)\S{36}\n/)
  })

  it.each([
    [['update', 'notes', '--set', 'rank=1'], /--where FIELD=VALUE/],
    [['update', 'notes', '--where', 'rank', '--set', 'rank=1'], /--where rank is invalid\. Write FIELD=VALUE/],
    [
      ['update', 'notes', '--where', 'rnak=1', '--set', 'rank=1'],
      /^daybook: Filtering by "rnak" is not possible\.[^\n]*\nSee daybook --help/,
    ],
    [['update', 'notes', '--where', 'rank=1'], /--set FIELD=VALUE or --json JSON/],
    [['update', 'notes', '--where', 'rank=1', '--json', '[1]'], /Write an object/],
    [
      ['update', 'note', '--where', 'rank=1', '--set', 'rank=1'],
      /The collection "note" does not exist\. Use one of: notes/,
    ],
  ])('%j is refused with what to write', async (args, advice) => {
    await using place = await notes()
    const { status, stderr } = await place.run(...args)
    expect(status).toBe(2)
    expect(stderr).toMatch(advice)
  })
})
