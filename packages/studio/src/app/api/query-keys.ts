/** The keys of cached responses (TanStack Query). */
export const queryKeys = {
  session: ['session'],
  actions: ['actions'],
  model: ['model'],
  /** The prefix of all lists of a collection. */
  lists: (collection: string) => ['list', collection] as const,
  list: (collection: string, query: object) => ['list', collection, query] as const,
  deleted: (collection: string) => ['deleted', collection] as const,
  entry: (collection: string, id: string) => ['entry', collection, id] as const,
  rights: (collection: string, id: string) => ['rights', collection, id] as const,
  /** The title of an entry in references to it. */
  title: (collection: string, id: string) => ['title', collection, id] as const,
  /** The prefix of all preview cards of an entry. */
  previewCards: (collection: string, id: string) => ['glimpse', collection, id] as const,
  /** A part of a preview card of an entry. */
  previewCard: (collection: string, id: string, part: string) => ['glimpse', collection, id, part] as const,
  /** The rendered HTML of a text that is being edited. */
  rendered: (field: string, version: number) => ['rendered', field, version] as const,
  /** Entries that a relation field offers. */
  choices: (collection: string, query: object) => ['choices', collection, query] as const,
  actorName: (subject: string) => ['person', subject] as const,
  /** The prefix of all requests for folders. */
  folders: ['folders'],
  /** All folders, as far as one response has them. */
  folderTree: ['folders', 'tree'],
  /** The folders inside a folder; `undefined` is the top level. */
  folder: (folder: string | undefined) => ['folders', 'inside', folder ?? ''] as const,
  global: (key: string) => ['global', key] as const,
} as const
