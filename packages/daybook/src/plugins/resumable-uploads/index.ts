import { MemoryLocker } from '@tus/server'
import { definePlugin, type Plugin, type PluginRequest, type PluginRoute } from '../../index.ts'
import { checkOptions, isRoutePath } from '../check-options.ts'
import { respondTus, type TusContext } from './tus-protocol.ts'
import { UnfinishedUploads } from './unfinished-uploads.ts'

/** Options of `resumableUploads()`. */
export interface ResumableUploadsOptions {
  /** The path of the uploads. @default '/api/uploads' */
  readonly path?: string
  /** The time within which an upload must be complete, in seconds. @default 86,400 */
  readonly expiresIn?: number
  /** The maximum number of incomplete uploads of one caller. @default 100 */
  readonly maxUnfinished?: number
}

/** The interval at which expired uploads are removed, in milliseconds. */
const SWEEP_MS = 10 * 60 * 1000

/**
 * Accepts uploads by the tus protocol, version 1.0: an interrupted upload continues where it stopped. A complete one becomes an asset,
 * with the checks of every upload. Needs the package `@tus/server`.
 *
 * @throws {ConfigError} for invalid options
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [resumableUploads()] })
 * ```
 */
export function resumableUploads(
  options: ResumableUploadsOptions = {},
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  const { path = '/api/uploads', expiresIn = 24 * 60 * 60, maxUnfinished = 100 } = options
  checkOptions('resumable-uploads', options, ['path', 'expiresIn', 'maxUnfinished'], (faults) => {
    faults.require(isRoutePath(path), 'path', 'must be a path, such as "/api/uploads"')
    faults.require(
      Number.isInteger(expiresIn) && expiresIn > 0,
      'expiresIn',
      'must be a whole number of seconds, 1 or more',
    )
    faults.require(
      Number.isInteger(maxUnfinished) && maxUnfinished > 0,
      'maxUnfinished',
      'must be a whole number of uploads, 1 or more',
    )
  })
  const expiryMs = expiresIn * 1000
  return definePlugin({
    name: 'resumable-uploads',
    version: '1.0.0',
    options: { path, expiresIn, maxUnfinished },
    setup({ storage, route, log }) {
      const unfinished = new UnfinishedUploads(storage, expiryMs, maxUnfinished)
      const context = { path, unfinished, expiryMs, locker: new MemoryLocker(), finishing: new Map() }
      for (const tusRoute of tusRoutes(context)) route(tusRoute)
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
  'Upload-Expires': 'The time by which the upload must be complete.',
  'Upload-Offset': 'The number of bytes that are stored.',
  'Daybook-Asset': 'The id of the asset that the complete upload has become.',
}

/** The routes of the protocol, which create, inspect, continue and end an upload. */
function tusRoutes(context: TusContext): readonly PluginRoute[] {
  const run = (request: PluginRequest): Promise<Response> => respondTus(context, request)
  const upload = {
    path: `${context.path}/:upload`,
    protection: 'session',
    pathParameters: { upload: { description: 'The upload, as `Location` names it.', schema: { type: 'string' } } },
    run,
  } as const
  return [
    {
      method: 'POST',
      path: context.path,
      operationId: 'createUpload',
      summary: 'Begins a resumable upload (tus 1.0).',
      protection: 'session',
      responses: {
        201: { description: 'The upload has begun.', headers: { ...HEADERS, Location: 'The address of the upload.' } },
      },
      run,
    },
    {
      ...upload,
      method: 'GET',
      operationId: 'getUploadOffset',
      summary: 'Returns the progress of a resumable upload.',
      responses: {
        200: {
          description: 'The progress of the upload.',
          headers: {
            ...HEADERS,
            'Upload-Length': 'The length of the complete upload, in bytes.',
            'Upload-Metadata': 'The metadata of the file, as the client sent it.',
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
      responses: { 204: { description: 'The bytes are stored.', headers: HEADERS } },
    },
    {
      ...upload,
      method: 'DELETE',
      operationId: 'endUpload',
      summary: 'Ends a resumable upload, and deletes its bytes.',
      responses: {
        204: { description: 'The upload is deleted.', headers: { 'Tus-Resumable': 'The version of the protocol.' } },
      },
    },
  ]
}
