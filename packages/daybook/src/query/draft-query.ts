import type { CollectionModel } from '../model/model.ts'
import { enumParameter, type Parameter, type ParametersOf, textParameter } from './parameters.ts'

/** Builds a parameter that is true or false. */
const flag = (description: string): Parameter<string> => enumParameter(description, ['true', 'false'])

/** The draft parameters of a request; collections without a status have none. */
export interface DraftQuery {
  readonly draft?: string | undefined
  readonly preview?: string | undefined
}

const READ_DRAFTS: ParametersOf<{ draft: string }> = {
  draft: flag(
    'With `true`, and a session, entries are returned with their drafts: any field can be null, and `hasDraft`, `publishAt` and `unpublishAt` are added. Filters, sorting and search use the entries, not the drafts.',
  ),
}
const PREVIEW: ParametersOf<{ preview: string }> = {
  preview: textParameter('A preview token: shows the draft of its entry, and the drafts that it refers to.'),
}
const SAVE_DRAFT: ParametersOf<{ draft: string; autosave: string }> = {
  draft: flag(
    'With `true`, a draft is saved and returned, any field of which can be null, and the published entry stays as it is.',
  ),
  autosave: flag('With `true`, consecutive saves of the same author replace each other in history.'),
}
const DISCARD_DRAFT: ParametersOf<{ draft: string }> = {
  draft: flag('With `true`, the draft is discarded, and the entry stays as it is.'),
}

/** True if the entries of a collection can have drafts. */
export const hasDrafts = ({ status }: Pick<CollectionModel, 'status'>): boolean => status !== undefined

/** Returns parameters for collections with drafts, and none for others. */
const ifDrafts =
  <P extends object>(parameters: P) =>
  (collection: Pick<CollectionModel, 'status'>): P =>
    (hasDrafts(collection) ? parameters : {}) as P

export const draftParameters: (collection: Pick<CollectionModel, 'status'>) => typeof READ_DRAFTS =
  ifDrafts(READ_DRAFTS)
export const entryDraftParameters: (
  collection: Pick<CollectionModel, 'status'>,
) => typeof READ_DRAFTS & typeof PREVIEW = ifDrafts({ ...READ_DRAFTS, ...PREVIEW })
export const saveDraftParameters: (collection: Pick<CollectionModel, 'status'>) => typeof SAVE_DRAFT =
  ifDrafts(SAVE_DRAFT)
export const discardDraftParameters: (collection: Pick<CollectionModel, 'status'>) => typeof DISCARD_DRAFT =
  ifDrafts(DISCARD_DRAFT)

/** The parameter of writes that can run without storing anything. */
export const DRY_RUN_PARAMETERS: ParametersOf<{ dryRun: string }> = {
  dryRun: flag('With `true`, the response is the same, but nothing is stored.'),
}
