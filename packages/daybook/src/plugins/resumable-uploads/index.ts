import { MemoryLocker } from '@tus/server'
import { definePlugin, type Plugin, type PluginRequest, type PluginRoute } from '../../index.ts'
import { type ResumableUploadsOptions, resolveOptions } from './options.ts'
import { answerTus, type TusParts } from './tus-requests.ts'
import { UnfinishedUploads } from './unfinished.ts'

export type { ResumableUploadsOptions } from './options.ts'

/** How often uploads whose time is over are removed, in milliseconds. */
const SWEEP_MS = 10 * 60 * 1000

/**
 * Takes files in by the tus protocol, version 1.0: an upload that breaks off goes on where it was. A complete one becomes an asset, with
 * the checks of every upload. Needs the package `@tus/server`.
 *
 * @throws {ConfigError} for options that mean nothing
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [resumableUploads()] })
 * ```
 */
export function resumableUploads(
  options: ResumableUploadsOptions = {},
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  const { path, expiresIn } = resolveOptions(options)
  const expiryMs = expiresIn * 1000
  return definePlugin({
    name: 'resumable-uploads',
    version: '1.0.0',
    options: { path, expiresIn },
    setup({ storage, route, log }) {
      const unfinished = new UnfinishedUploads(storage, expiryMs)
      const parts = { path, unfinished, expiryMs, locker: new MemoryLocker(), finishing: new Map() }
      for (const one of tusRoutes(parts)) route(one)
      const sweep = (): Promise<void> =>
        unfinished.sweep().catch((err) => log.error({ err }, 'resumable uploads: the sweep failed'))
      let sweeping = sweep()
      const timer = setInterval(() => {
        sweeping = sweeping.then(sweep)
      }, SWEEP_MS).unref()
      return {
        async close() {
          clearInterval(timer)
          await sweeping
        },
      }
    },
  })
}

const HEADERS: Readonly<Record<string, string>> = {
  'Tus-Resumable': 'The version of the protocol.',
  'Upload-Expires': 'When the upload has to be complete.',
  'Upload-Offset': 'How many bytes are there.',
  'Daybook-Asset': 'The id of the asset that the complete upload has become.',
}

/** The requests of the protocol: create, ask how far it has come, send, and end. */
function tusRoutes(parts: TusParts): readonly PluginRoute[] {
  const run = (request: PluginRequest): Promise<Response> => answerTus(parts, request)
  const upload = {
    path: `${parts.path}/:upload`,
    protection: 'session',
    pathParameters: { upload: { description: 'The upload, as `Location` names it.', schema: { type: 'string' } } },
    run,
  } as const
  return [
    {
      method: 'POST',
      path: parts.path,
      operationId: 'createUpload',
      summary: 'Begins a resumable upload (tus 1.0).',
      protection: 'session',
      answers: { 201: { description: 'It has begun.', headers: { ...HEADERS, Location: 'Where it is sent.' } } },
      run,
    },
    {
      ...upload,
      method: 'GET',
      operationId: 'getUploadOffset',
      summary: 'Tells how far a resumable upload has come.',
      answers: {
        200: {
          description: 'How far it has come.',
          headers: {
            ...HEADERS,
            'Upload-Length': 'How many bytes it will have.',
            'Upload-Metadata': 'What the client said of the file.',
          },
        },
      },
    },
    {
      ...upload,
      method: 'PATCH',
      operationId: 'continueUpload',
      summary: 'Sends bytes of a resumable upload.',
      body: { mediaTypes: ['application/offset+octet-stream'], stream: true },
      answers: { 204: { description: 'They are stored.', headers: HEADERS } },
    },
    {
      ...upload,
      method: 'DELETE',
      operationId: 'endUpload',
      summary: 'Ends a resumable upload, and forgets its bytes.',
      answers: { 204: { description: 'It is gone.', headers: { 'Tus-Resumable': 'The version of the protocol.' } } },
    },
  ]
}
