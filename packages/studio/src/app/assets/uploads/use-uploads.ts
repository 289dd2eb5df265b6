import { queryKeys } from '../../api/query-keys.ts'
import { isUnreachableError, type Studio, useStudio } from '../../api/studio.ts'
import { ASSETS } from '../../model/studio-model.ts'
import type { Asset } from '../media/asset.ts'
import { UploadQueue } from './upload-queue.ts'

/** One queue for each page load, so that uploads continue when the user navigates. */
const queues = new WeakMap<Studio, UploadQueue>()

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

/** Makes a unique key. `crypto.randomUUID` exists only in secure contexts. */
const makeKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((value) => value.toString(36)).join('-')
