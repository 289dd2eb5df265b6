import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildPackages } from './build-packages.ts'

export interface Packed {
  readonly manifest: {
    readonly name: string
    readonly version: string
    readonly exports: object
    readonly engines?: { readonly node: string }
    readonly dependencies?: object
  }
  readonly tarball: string
}

function pack(folder: string, destination: string): string {
  const args = ['pack', '--json', '--pack-destination', destination]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack failed:\n${stdout}${stderr}`)
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }]
  return join(destination, filename)
}

/**
 * Builds and packs every package outside the checkout, in which other processes may be building.
 *
 * @param destination a folder for the tarballs, created if it does not exist
 */
export async function packPackages(destination: string): Promise<readonly Packed[]> {
  await mkdir(destination, { recursive: true })
  const folder = await mkdtemp(join(tmpdir(), 'daybook-build-'))
  try {
    const packed: Packed[] = []
    for (const target of await buildPackages((name) => join(folder, name))) {
      const manifest = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as Packed['manifest']
      packed.push({ manifest, tarball: pack(target, destination) })
    }
    return packed
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const destination = resolve(process.argv[2] ?? 'packed')
  for (const { tarball } of await packPackages(destination)) process.stdout.write(`${tarball}\n`)
}
