import { v7 as uuidv7 } from 'uuid'
import type { AuthRecords, RecordReader, RecordWriter } from '../auth/records.ts'
import type { SeqRange } from './ranges.ts'

/** The deliveries to repeat: one record, a range of the journal, or all parked deliveries. */
export type ReplayRequest =
  | { readonly seq: number }
  | { readonly from: number; readonly to?: number }
  | { readonly parked: true }

export interface StoredReplay {
  readonly id: string
  readonly request: ReplayRequest
}

const getKind = (name: string): string => `replay ${name}`

/** Stores a request, which the delivering process executes soon. */
export async function requestReplay(records: AuthRecords, name: string, request: ReplayRequest): Promise<void> {
  await records.transaction((writer) => writer.put(getKind(name), { id: uuidv7(), request }))
}

/** Lists pending requests in the order of their arrival. */
export async function listReplays(records: RecordReader, name: string): Promise<readonly StoredReplay[]> {
  return (await records.list(getKind(name))) as unknown as readonly StoredReplay[]
}

/** Removes executed requests. */
export async function dropReplays(
  writer: RecordWriter,
  name: string,
  requests: readonly StoredReplay[],
): Promise<void> {
  for (const { id } of requests) await writer.delete(getKind(name), id)
}

export function getReplayRanges(requests: readonly StoredReplay[]): readonly SeqRange[] {
  return requests.flatMap(({ request }) => {
    if ('seq' in request) return [{ after: request.seq - 1, to: request.seq }]
    return 'from' in request ? [{ after: request.from - 1, to: request.to ?? null }] : []
  })
}
