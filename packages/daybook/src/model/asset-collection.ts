import { DIRECTORY_RULE } from '../assets/file-names.ts'
import type { AssetFields, AssetsConfig } from '../config/assets.ts'
import type { CollectionConfig } from '../config/config.ts'
import { makeField } from '../fields/field.ts'
import { f } from '../fields/index.ts'

const coordinate = f.number({ required: true, min: 0, max: 1, index: false })

/** Creates the field for the folder of a file, an empty text at the top and never `null`. */
function createDirectoryField(): AssetFields['directory'] {
  const { type, options } = f.text({
    search: false,
    // Keeps lists of folders cheap for any number of files.
    counted: true,
    maxLength: DIRECTORY_RULE.maxLength,
    pattern: `^$|${DIRECTORY_RULE.pattern}`,
    fill: ({ path }) => String(path).split('/').slice(0, -1).join('/'),
    description:
      'The folder that people find the file in, such as `images/2026`; empty at the top. A change leaves `path` and `url` as they are.',
  })
  return makeField({ ...type, empty: () => '' }, options)
}

/** Creates the fields of a file, in the order in which they are served. With locales, each has its own `alt`. */
const createAssetFields = (hasLocales: boolean): AssetFields => ({
  filename: f.text({ required: true, maxLength: 200 }),
  originalName: f.text({ required: true, maxLength: 255 }),
  mimeType: f.text({ required: true, maxLength: 255 }),
  size: f.integer({ required: true, min: 0 }),
  directory: createDirectoryField(),
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

/** The fields that callers write. The service makes all others. */
const WRITABLE_FIELDS: ReadonlySet<string> = new Set(['directory', 'alt', 'focalPoint'])

export const createAssetCollection = ({ access = {} }: AssetsConfig = {}, hasLocales = false): CollectionConfig => ({
  fields: createAssetFields(hasLocales),
  access,
  label: { en: 'Files', de: 'Dateien' },
  singularLabel: { en: 'File', de: 'Datei' },
  description: 'The files of the service.',
})

/** The keys of fields whose values the service makes from an uploaded file. */
export const SERVICE_MADE_ASSET_KEYS: ReadonlySet<string> = new Set(
  Object.keys(createAssetFields(false)).filter((key) => !WRITABLE_FIELDS.has(key)),
)
