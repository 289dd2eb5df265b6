import { openBrowser } from '../packages/client/test/support/browser.ts'
import { prepareStudio } from './packages/build-studio.ts'
import { takeDocsPage } from './pictures/docs-page.ts'
import { takeEntryAsJson } from './pictures/entry-as-json.ts'
import { useOneLook } from './pictures/one-look.ts'
import { takePhones } from './pictures/phones.ts'
import { takeStudioScenes } from './pictures/studio-scenes.ts'
import { takeTerminal } from './pictures/terminal.ts'

/** The groups of pictures of the docs. */
const GROUPS = {
  studio: takeStudioScenes,
  phones: takePhones,
  'entry-as-json': takeEntryAsJson,
  'docs-page': takeDocsPage,
  terminal: takeTerminal,
} as const

/** Makes the pictures of the docs again: all of them, or the groups that the command names. */
async function takePictures(wanted: readonly string[]): Promise<void> {
  const unknown = wanted.find((name) => !Object.hasOwn(GROUPS, name))
  if (unknown !== undefined)
    throw new Error(`Unknown group "${unknown}". Name some of: ${Object.keys(GROUPS).join(' ')}`)
  await prepareStudio()
  await using _look = await useOneLook()
  await using open = await openBrowser()
  for (const [name, take] of Object.entries(GROUPS)) {
    if (wanted.length === 0 || wanted.includes(name)) await take(open)
  }
}

await takePictures(process.argv.slice(2))
