import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, run } from '../../docs/test/site.ts'
import { PACKAGES } from '../packages/build-packages.ts'

test.each(PACKAGES)('the sources of %s cannot be packed, and npm prints how to build the package', async (name) => {
  const { status, stderr } = await run('npm', ['pack', '--dry-run'], join(ROOT, 'packages', name))
  expect(status).not.toBe(0)
  expect(stderr).toContain('npm run pack builds the packages and writes them to packed/')
})
