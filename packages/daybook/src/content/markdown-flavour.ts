/** The part of a Markdown syntax tree that is looked at here. */
interface MarkdownNode {
  readonly type: string
  readonly value?: string
  readonly label?: string | null | undefined
  readonly children?: readonly MarkdownNode[]
}

/** Without any of these, GitHub's flavour finds nothing of its own: tables, strikethrough, tasks, notes, bare links. */
const SIGN = /[|~@&]|:-|-:|\[\^|\[[ \t\r\nxX]\]|www\\?\.|https?\\?:/i
/** The same in a text that CommonMark read, with its entities and escapes resolved. */
const SIGN_IN_TEXT = /[|~]|:-|-:|\[\^|\[[ \t\r\nxX]\]|www\.|https?:|(?:^|[-+.\w])@/i
/** What counts inside of a link, too. */
const SIGN_IN_LINK = /[|~]|:-|-:/
/** Notes and tasks can pass for references to a definition. */
const SIGN_IN_LABEL = /^(?:\^|x$)/i

/** Whether it is worth looking closer. */
export function mayBeGitHub(source: string): boolean {
  return SIGN.test(source)
}

/** Whether GitHub's flavour could find something of its own in the text that CommonMark read as this tree. */
export function needsGitHub(tree: MarkdownNode, isInLink = false): boolean {
  const { type, value, label, children } = tree
  if (type === 'text') return (isInLink ? SIGN_IN_LINK : SIGN_IN_TEXT).test(value ?? '')
  if (SIGN_IN_LABEL.test(label ?? '')) return true
  const isLink = isInLink || type === 'link' || type === 'linkReference'
  return children?.some((child) => needsGitHub(child, isLink)) === true
}
