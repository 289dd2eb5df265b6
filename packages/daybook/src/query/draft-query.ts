import type { CollectionModel } from '../model/model.ts'
import { enumParameter, type Parameter, type ParametersOf, textParameter } from './parameters.ts'

/** A parameter that is `true`, or left out. */
const flag = (description: string): Parameter<string> => enumParameter(description, ['true', 'false'])

/** What a request says about working copies; of collections without a status, nothing. */
export interface DraftQuery {
  readonly draft?: string | undefined
  readonly preview?: string | undefined
}

const READ_DRAFTS: ParametersOf<{ draft: string }> = {
  draft: flag(
    'With `true`, and a session, entries are answered as their working copies have them: any field may be null, and `hasDraft`, `publishAt` and `unpublishAt` come besides. Filters, order and search look at the entries.',
  ),
}
const PREVIEW: ParametersOf<{ preview: string }> = {
  preview: textParameter(
    'A token of a preview: shows the working copy of its entry, and the drafts that it refers to.',
  ),
}
const SAVE_DRAFT: ParametersOf<{ draft: string; autosave: string }> = {
  draft: flag(
    'With `true`, the working copy is saved and answered, of which any field may be null, and what is published stays as it is.',
  ),
  autosave: flag(
    'With `true`, while the same actor saves so, each save takes the place of the one before it in history.',
  ),
}
const DISCARD_DRAFT: ParametersOf<{ draft: string }> = {
  draft: flag('With `true`, the working copy is thrown away, and the entry stays as it is.'),
}

/** Whether the entries of a collection have working copies. */
export const hasDrafts = ({ status }: Pick<CollectionModel, 'status'>): boolean => status !== undefined

/** Parameters of collections whose entries have working copies. */
const ofStatus =
  <P extends object>(parameters: P) =>
  (collection: Pick<CollectionModel, 'status'>): P =>
    (hasDrafts(collection) ? parameters : {}) as P

/** The parameter of reads of working copies. */
export const draftParameters: (collection: Pick<CollectionModel, 'status'>) => typeof READ_DRAFTS =
  ofStatus(READ_DRAFTS)
/** The parameters of a read of one entry. */
export const entryDraftParameters: (
  collection: Pick<CollectionModel, 'status'>,
) => typeof READ_DRAFTS & typeof PREVIEW = ofStatus({ ...READ_DRAFTS, ...PREVIEW })
/** The parameters of a save. */
export const saveDraftParameters: (collection: Pick<CollectionModel, 'status'>) => typeof SAVE_DRAFT =
  ofStatus(SAVE_DRAFT)
/** The parameter that throws a working copy away. */
export const discardDraftParameters: (collection: Pick<CollectionModel, 'status'>) => typeof DISCARD_DRAFT =
  ofStatus(DISCARD_DRAFT)

/** The parameter of every write that can be tried without storing anything. */
export const DRY_RUN_PARAMETERS: ParametersOf<{ dryRun: string }> = {
  dryRun: flag('With `true`, the request answers as it would have, and stores nothing.'),
}
