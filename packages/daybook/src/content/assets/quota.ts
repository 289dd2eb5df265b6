import type { AssetQuota } from '../../config/assets.ts'
import { DaybookError } from '../../errors.ts'
import type { CollectionModel, Comparable } from '../../model/model.ts'
import { PEOPLE_COMPARABLES } from '../../model/people.ts'
import { equals } from '../../query/where.ts'
import type { Reader } from '../../store/reads/read.ts'

/**
 * Sees that the files of one person are within their quota. Asked in the transaction that stores another one, so that uploads at
 * once do not get past it.
 *
 * @param isCaller true if that person is the caller
 * @throws FORBIDDEN with `details.limit` when there are too many; PAYLOAD_TOO_LARGE with `details.limit` when they have too many bytes
 */
export async function requireWithinQuota(
  read: Reader,
  assets: CollectionModel,
  person: string,
  isCaller: boolean,
  { files = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }: AssetQuota,
): Promise<void> {
  const where = equals(PEOPLE_COMPARABLES.get('createdBy') as Comparable, person)
  const sum = { kind: 'sum', name: 'sum:size', by: assets.comparables.get('size') as Comparable } as const
  const size = { found: 1, visible: 1, all: 1 }
  const used = await read.lists.value(assets, sum, { where, statuses: undefined, search: undefined, size })
  if ((used?.count ?? 0) > files) {
    const message = isCaller
      ? `You have ${files} files, as many as you may; delete one first.`
      : `The uploader of this file has ${files} others, as many as the quota allows; delete one of those first.`
    throw new DaybookError('FORBIDDEN', message, { limit: files })
  }
  if (Number(used?.value ?? 0) > bytes) {
    const message = `${isCaller ? 'Your files' : 'The files of its uploader'} have at most ${bytes} bytes together, this one included; delete some first.`
    throw new DaybookError('PAYLOAD_TOO_LARGE', message, { limit: bytes })
  }
}
