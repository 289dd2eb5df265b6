import { DIRECTORY_RULE } from '../assets/file-names.ts'
import type { AssetFields, AssetsConfig } from '../config/assets.ts'
import type { CollectionConfig } from '../config/config.ts'
import { makeField } from '../fields/field.ts'
import { f } from '../fields/index.ts'

const coordinate = f.number({ required: true, min: 0, max: 1, index: false })

/** The folder of a file, empty at the top: it never holds nothing. */
function directoryField(): AssetFields['directory'] {
  const { type, options } = f.text({
    search: false,
    // Lists of folders cost the same however many files there are.
    counted: true,
    maxLength: DIRECTORY_RULE.maxLength,
    pattern: `^$|${DIRECTORY_RULE.pattern}`,
    fill: ({ path }) => String(path).split('/').slice(0, -1).join('/'),
    description:
      'The folder that people find the file in, such as `images/2026`; empty at the top. A change leaves `path` and `url` as they are.',
  })
  return makeField({ ...type, empty: () => '' }, options)
}

/** The fields of a file, in the order in which they are served. With locales, each has its own `alt`. */
const assetFields = (hasLocales: boolean): AssetFields => ({
  filename: f.text({ required: true, maxLength: 200 }),
  originalName: f.text({ required: true, maxLength: 255 }),
  mimeType: f.text({ required: true, maxLength: 255 }),
  size: f.integer({ required: true, min: 0 }),
  directory: directoryField(),
  path: f.text({ required: true, unique: true, search: false }),
  url: f.text({ required: true, index: false, maxLength: 1024, search: false }),
  alt: f.text({ localized: hasLocales, description: 'A text in place of the file, for readers who cannot see it.' }),
  sha256: f.text({ required: true, maxLength: 64, search: false, description: 'The digest of the bytes, in hex.' }),
  width: f.integer({ min: 1, description: 'Of an image, in pixels.' }),
  height: f.integer({ min: 1, description: 'Of an image, in pixels.' }),
  placeholder: f.text({
    index: false,
    maxLength: 4096,
    search: false,
    description: 'A tiny picture of an image, as a `data:` URL.',
  }),
  focalPoint: f.group(
    { x: coordinate, y: coordinate },
    { description: 'The place that a cropped image keeps, from 0, 0 (left, top) to 1, 1.' },
  ),
})

/** Fields that the uploader may say something about; the service makes all others. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['directory', 'alt', 'focalPoint'])

/** The collection of a service's files. */
export const createAssetCollection = ({ access = {} }: AssetsConfig = {}, hasLocales = false): CollectionConfig => ({
  fields: assetFields(hasLocales),
  access,
  description: 'The files of the service.',
})

/** The keys of the fields whose values the service makes of an uploaded file. */
export const SERVICE_MADE_ASSET_KEYS: ReadonlySet<string> = new Set(
  Object.keys(assetFields(false)).filter((key) => !OPEN_FIELDS.has(key)),
)
