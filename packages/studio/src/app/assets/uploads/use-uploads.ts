import { queryKeys } from '../../api/query-keys.ts'
import { isUnreachableError, type Studio, useStudio } from '../../api/studio.ts'
import { ASSETS } from '../../model/studio-model.ts'
import type { Asset } from '../media/asset.ts'
import { UploadQueue } from './upload-queue.ts'

/** One queue for the page: uploads go on while somebody goes elsewhere in the Studio. */
const queues = new WeakMap<Studio, UploadQueue>()

/** The queue of uploads. */
export function useUploads(): UploadQueue {
  const studio = useStudio()
  return queues.get(studio) ?? openQueue(studio)
}

function openQueue(studio: Studio): UploadQueue {
  const { client, connection, queries } = studio
  const queue = new UploadQueue({
    send: async (file, { directory, idempotencyKey, signal, onProgress }) =>
      (await client.assets.upload(file, {
        ...(directory === undefined ? {} : { directory }),
        idempotencyKey,
        signal,
        onProgress: ({ sent }) => onProgress(sent),
      })) as unknown as Asset,
    isUnreachableError,
    onError: (error) => connection.noteError(error),
    onStored: () => {
      void queries.invalidateQueries({ queryKey: queryKeys.lists(ASSETS) })
      void queries.invalidateQueries({ queryKey: queryKeys.folders })
    },
    makeKey,
  })
  connection.isUnreachable.subscribe(() => {
    if (!connection.isUnreachable.get()) queue.resume()
  })
  queues.set(studio, queue)
  window.addEventListener('beforeunload', (event) => queue.isBusy && event.preventDefault())
  return queue
}

/** A key that nothing else has; `crypto.randomUUID` is there in secure contexts alone. */
const makeKey = (): string => [...crypto.getRandomValues(new Uint32Array(4))].map((one) => one.toString(36)).join('-')
