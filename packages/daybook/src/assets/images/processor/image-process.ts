import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { isMessage, message } from '../../../threads/message.ts'
import { moduleBeside } from '../../../threads/thread-pool.ts'
import type { ImageFailure, ImageJob, ImageResults } from './job.ts'

/** A picture could not be processed; the process can go on unless it has ended. */
export class ImageError extends Error {
  override readonly name = 'ImageError'
  readonly failure: ImageFailure | 'died'

  constructor(failure: ImageFailure | 'died', reason: string) {
    super(reason)
    this.failure = failure
  }
}

interface Answer {
  resolve(result: ImageResults[ImageJob['kind']]): void
  reject(error: ImageError): void
}

/** What the process needs of the environment. Decoders of strangers' files get no secrets to leak. */
const KEPT_ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP'] as const

/** A process that works on one picture at a time, and keeps the service alive only meanwhile. */
export class ImageProcess {
  readonly #child: ChildProcess
  #jobs = 0
  #answer: Answer | undefined
  #hasEnded = false

  /** @param sharp the file of the module */
  constructor(sharp: string) {
    const kept = KEPT_ENVIRONMENT.flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    )
    this.#child = fork(fileURLToPath(moduleBeside(import.meta.url, 'image-child')), [sharp], {
      execArgv: [],
      // More arenas of glibc's allocator keep memory that is free.
      env: { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (received: unknown) => this.#received(received))
    this.#child.once('error', (error) => this.#died(error.message))
    this.#child.once('exit', (code, signal) => this.#died(`ended with ${signal ?? code}`))
    this.#rest()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /**
   * Sends a picture with its job, and waits for what comes of it.
   *
   * @param limit in milliseconds; a process that takes longer is killed
   * @throws {ImageError}, and what the content fails with, after which the process is of no use
   */
  async run<Job extends ImageJob>(job: Job, content: Readable, limit: number): Promise<ImageResults[Job['kind']]> {
    this.#jobs += 1
    this.#child.ref()
    this.#child.channel?.ref()
    const { promise, resolve, reject } = Promise.withResolvers<ImageResults[ImageJob['kind']]>()
    this.#answer = { resolve, reject }
    const timer = setTimeout(() => this.#give(`took longer than ${limit} ms`), limit)
    try {
      await Promise.race([promise, this.#sendAll(job, content)])
      return (await promise) as ImageResults[Job['kind']]
    } finally {
      clearTimeout(timer)
      content.destroy()
      this.#answer = undefined
      this.#rest()
    }
  }

  kill(): void {
    this.#hasEnded = true
    this.#child.kill('SIGKILL')
  }

  async #sendAll(job: ImageJob, content: Readable): Promise<void> {
    try {
      for await (const piece of content) await this.#send(message('piece', this.#jobs, piece as Buffer))
      await this.#send(message('image', this.#jobs, job))
    } catch (error) {
      // Half a picture is in the process.
      this.kill()
      throw error
    }
  }

  #send(body: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.send(body, (error) => (error ? reject(new ImageError('died', error.message)) : resolve()))
    })
  }

  #received(received: unknown): void {
    if (isMessage<'result', ImageResults[ImageJob['kind']]>(received, 'result') && received.job === this.#jobs) {
      this.#answer?.resolve(received.body)
    } else if (
      isMessage<'failure', { failure: ImageFailure; reason: string }>(received, 'failure') &&
      received.job === this.#jobs
    ) {
      this.#answer?.reject(new ImageError(received.body.failure, received.body.reason))
    }
  }

  #give(reason: string): void {
    this.kill()
    this.#died(reason)
  }

  #died(reason: string): void {
    this.#hasEnded = true
    this.#answer?.reject(new ImageError('died', reason))
  }

  #rest(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}
