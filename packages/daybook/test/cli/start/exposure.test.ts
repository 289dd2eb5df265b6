import { describe, expect, test } from 'vitest'
import { daybook, folderOf } from '../cli.ts'

const CONFIG = `import { f } from 'DAYBOOK'
export default { collections: { notes: { fields: { title: f.text() } } } }
`

describe('daybook start, where anyone may register and write', () => {
  test.each([
    ['in this process', []],
    ['in workers', ['--workers', '2']],
  ])('ends before it listens for other machines, and says once what to change: %s', async (_what, args) => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
    const ended = await daybook(folder.path, 'start', '--host', '0.0.0.0', '--port', '0', '--log', 'silent', ...args)
    expect(ended).toMatchObject({ status: 1, stdout: '' })
    expect(ended.stderr).toMatch(
      /^daybook: This service would run at 0\.0\.0\.0, where other machines reach it\. Change this/,
    )
    expect(ended.stderr.match(/anyoneMayWrite: true/g)).toHaveLength(1)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
  })
})
