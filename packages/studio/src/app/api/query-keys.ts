/** The keys of all that is kept of the service's answers (TanStack Query): each begins with what it is of. */
export const queryKeys = {
  session: ['session'],
  actions: ['actions'],
  model: ['model'],
  /** All lists of a collection. */
  lists: (collection: string) => ['list', collection] as const,
  /** One list, by what was asked. */
  list: (collection: string, query: object) => ['list', collection, query] as const,
  /** The deleted entries of a collection. */
  deleted: (collection: string) => ['deleted', collection] as const,
  entry: (collection: string, id: string) => ['entry', collection, id] as const,
  /** The rights of the person on an entry. */
  rights: (collection: string, id: string) => ['rights', collection, id] as const,
  /** What an entry is called where another one refers to it. */
  title: (collection: string, id: string) => ['title', collection, id] as const,
  /** All parts of an entry that are looked at from elsewhere. */
  previewCards: (collection: string, id: string) => ['glimpse', collection, id] as const,
  /** A part of an entry that is looked at from elsewhere. */
  previewCard: (collection: string, id: string, part: string) => ['glimpse', collection, id, part] as const,
  /** What the service made of a text that is being written. */
  rendered: (field: string, version: number) => ['rendered', field, version] as const,
  /** Entries to choose from. */
  choices: (collection: string, query: object) => ['choices', collection, query] as const,
  /** What somebody is called. */
  person: (subject: string) => ['person', subject] as const,
  /** All that is known of folders of files. */
  folders: ['folders'],
  /** All folders of files, as far as one request tells them. */
  folderTree: ['folders', 'tree'],
  /** The folders inside a folder of files; `undefined`: at the top. */
  folder: (folder: string | undefined) => ['folders', 'inside', folder ?? ''] as const,
  global: (key: string) => ['global', key] as const,
} as const
