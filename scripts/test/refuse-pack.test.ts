import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, run } from '../../docs/test/site.ts'
import { PACKAGES } from '../packages/build-packages.ts'

test.each(PACKAGES)('the sources of %s are not packed; npm says what is', async (name) => {
  const { status, stderr } = await run('npm', ['pack', '--dry-run'], join(ROOT, 'packages', name))
  expect(status).not.toBe(0)
  expect(stderr).toContain('npm run pack writes the packages to packed/')
})
