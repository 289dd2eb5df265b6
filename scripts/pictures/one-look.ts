import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

const FONTS = fileURLToPath(new URL('../bin/fonts.tar.br', import.meta.resolve('@sparticuz/chromium')))

/** The font of each generic family. */
const FAMILIES = {
  'system-ui': 'Open Sans',
  'sans-serif': 'Open Sans',
  serif: 'DejaVu Serif',
  monospace: 'DejaVu Sans Mono',
} as const

const MATCHES = Object.entries(FAMILIES).map(
  ([generic, font]) => `<match>
    <test name="family"><string>${generic}</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit>
  </match>`,
)

const fontConfig = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/cache</cachedir>
  ${MATCHES.join('\n  ')}
</fontconfig>
`

/** Makes browsers on Linux use the font that comes with Chromium, and British forms of dates, until it is disposed. */
export async function useOneLook(): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-fonts-'))
  const { TMPDIR: before } = process.env
  // inflate() unpacks to TMPDIR, which it reads when it begins.
  process.env.TMPDIR = folder
  const unpacking = inflate(FONTS)
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await unpacking
  const config = join(folder, 'fonts.conf')
  await writeFile(config, fontConfig(folder))
  Object.assign(process.env, { FONTCONFIG_FILE: config, LANGUAGE: 'en_GB' })
  return { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
