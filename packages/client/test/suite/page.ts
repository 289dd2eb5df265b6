import { CASES } from './index.ts'
import { COOKIES } from './sessions.ts'
import { createTestContext, type ServerUrls } from './test-context.ts'

/** Runs the case with a name; tests call this on the page. */
async function runCase(name: string, urls: ServerUrls): Promise<void> {
  const testCase = [...CASES, ...COOKIES].find((item) => item.name === name)
  if (!testCase) throw new Error(`There is no case "${name}".`)
  await testCase.run(createTestContext(urls))
}

Object.assign(globalThis, { runCase })
