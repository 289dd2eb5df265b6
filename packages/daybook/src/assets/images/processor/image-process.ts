import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createMessage, isMessage } from '../../../threads/messages.ts'
import { resolveSiblingModule } from '../../../threads/thread-pool.ts'
import type { ImageFailure, ImageJob, ImageResults } from './job.ts'

/** The failure of a job. The process remains usable unless it died. */
export class ImageError extends Error {
  override readonly name = 'ImageError'
  readonly failure: ImageFailure | 'died'

  constructor(failure: ImageFailure | 'died', reason: string) {
    super(reason)
    this.failure = failure
  }
}

interface PendingJob {
  resolve(result: ImageResults[ImageJob['kind']]): void
  reject(error: ImageError): void
}

/** The variables that the process needs. It gets no others, so that a decoder cannot leak secrets. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP'] as const

/** A process that works on one picture at a time. It keeps the service alive only while it works. */
export class ImageProcess {
  readonly #child: ChildProcess
  #jobs = 0
  #pending: PendingJob | undefined
  #hasEnded = false

  /** @param sharp the path of the module */
  constructor(sharp: string) {
    const variables = ENVIRONMENT.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    )
    this.#child = fork(fileURLToPath(resolveSiblingModule(import.meta.url, 'image-child')), [sharp], {
      execArgv: [],
      // With more arenas, glibc's allocator retains free memory.
      env: { ...Object.fromEntries(variables), MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (received: unknown) => this.#receive(received))
    this.#child.once('error', (error) => this.#fail(error.message))
    this.#child.once('exit', (code, signal) => this.#fail(`ended with ${signal ?? code}`))
    this.#unref()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Sends a picture with a job, and waits for the result.
   *
   * @param timeoutMs the process is killed after this time, in milliseconds
   * @throws {ImageError}, and the error of the content, after which the process is unusable
   */
  async run<Job extends ImageJob>(job: Job, content: Readable, timeoutMs: number): Promise<ImageResults[Job['kind']]> {
    this.#jobs += 1
    this.#child.ref()
    this.#child.channel?.ref()
    const { promise, resolve, reject } = Promise.withResolvers<ImageResults[ImageJob['kind']]>()
    this.#pending = { resolve, reject }
    const timer = setTimeout(() => {
      this.kill()
      this.#fail(`took longer than ${timeoutMs} ms`)
    }, timeoutMs)
    try {
      await Promise.race([promise, this.#sendAll(job, content)])
      return (await promise) as ImageResults[Job['kind']]
    } finally {
      clearTimeout(timer)
      content.destroy()
      this.#pending = undefined
      this.#unref()
    }
  }

  kill(): void {
    this.#hasEnded = true
    this.#child.kill('SIGKILL')
  }

  async #sendAll(job: ImageJob, content: Readable): Promise<void> {
    try {
      for await (const piece of content) await this.#send(createMessage('piece', this.#jobs, piece as Buffer))
      await this.#send(createMessage('image', this.#jobs, job))
    } catch (error) {
      // The process has received a part of the picture, and must not add the next one to it.
      this.kill()
      throw error
    }
  }

  #send(body: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.send(body, (error) => (error ? reject(new ImageError('died', error.message)) : resolve()))
    })
  }

  #receive(received: unknown): void {
    if (isMessage<'result', ImageResults[ImageJob['kind']]>(received, 'result') && received.job === this.#jobs) {
      this.#pending?.resolve(received.body)
    } else if (
      isMessage<'failure', { failure: ImageFailure; reason: string }>(received, 'failure') &&
      received.job === this.#jobs
    ) {
      this.#pending?.reject(new ImageError(received.body.failure, received.body.reason))
    }
  }

  #fail(reason: string): void {
    this.#hasEnded = true
    this.#pending?.reject(new ImageError('died', reason))
  }

  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}
