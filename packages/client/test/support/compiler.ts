import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')

/** The output of the compiler for a program. */
export interface Compiled {
  /** The errors in `main.ts` by line, counted from 1. */
  readonly faults: readonly (readonly [line: number, message: string])[]
  readonly instantiations: number
  readonly declarations: string
}

/** A folder in which programs that use the packages are compiled. */
export class Compiler implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async make(): Promise<Compiler> {
    const folder = await mkdtemp(join(tmpdir(), 'daybook-types-'))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.base.json'),
        compilerOptions: {
          declaration: true,
          emitDeclarationOnly: true,
          rootDir: '/',
          outDir: 'out',
          typeRoots: [join(ROOT, 'node_modules/@types')],
        },
        files: ['main.ts', join(ROOT, 'packages/daybook/src/untyped-packages.d.ts')],
      }),
    )
    return new Compiler(folder)
  }

  /** Compiles `main.ts` with the files of earlier calls. */
  async compile(source: string, files: Readonly<Record<string, string>> = {}): Promise<Compiled> {
    for (const [name, text] of Object.entries({ ...files, 'main.ts': source })) {
      await writeFile(join(this.#folder, name), text)
    }
    const output = await this.#run()
    const declared = join(this.#folder, 'out', this.#folder, 'main.d.ts')
    return {
      faults: [...output.matchAll(/^main\.ts\((\d+),\d+\): error TS\d+: (.*)$/gm)].map(
        ([, line, message = '']) => [Number(line), message] as const,
      ),
      instantiations: Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]),
      declarations: await readFile(declared, 'utf8').catch(() => ''),
    }
  }

  #run(): Promise<string> {
    const args = ['-p', this.#folder, '--extendedDiagnostics', '--singleThreaded', '--pretty', 'false']
    return new Promise((resolve) => {
      // The exit status is not 0 if there are errors.
      execFile(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: this.#folder, maxBuffer: 2 ** 24 }, (_error, stdout) =>
        resolve(stdout),
      )
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }
}
