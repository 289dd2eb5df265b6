/** The templates of a project, each a folder of `templates/`. The files of `templates/every` belong to all. */
export const TEMPLATES = {
  blog: 'posts, their authors and a record of the site, with first entries',
  minimal: 'notes and topics, empty',
} as const

/** The name of a template. */
export type Template = keyof typeof TEMPLATES
