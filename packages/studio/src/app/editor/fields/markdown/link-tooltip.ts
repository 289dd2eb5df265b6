import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, StateField } from '@codemirror/state'
import { EditorView, showTooltip, type Tooltip } from '@codemirror/view'
import { hasFocusWithin } from './formatted/editor-focus.ts'
import { findLinkAt, type TextLink } from './text-links.ts'

interface LinkActions {
  readonly editLink: (view: EditorView) => void
  readonly editImage: (view: EditorView) => void
}

/** Shows the address of the link at the cursor or the selected image, with actions, and opens links by Ctrl or Cmd and a click. */
export function showLinks(actions: LinkActions): Extension {
  const field = StateField.define<Tooltip | null>({
    create: () => null,
    update(tooltip, { state, docChanged, selection, startState }) {
      const isAffected = docChanged || selection || hasFocusWithin(state) !== hasFocusWithin(startState)
      return isAffected ? createTooltip(state, actions) : tooltip
    },
    provide: (self) => showTooltip.from(self),
  })
  return [field, EditorView.domEventHandlers({ mousedown: openClickedLink })]
}

function createTooltip(state: EditorState, { editLink, editImage }: LinkActions): Tooltip | null {
  if (!hasFocusWithin(state) || state.readOnly) return null
  const { main } = state.selection
  const image = findLinkAt(state, 'Image')
  if (image && main.from === image.from && main.to === image.to) return toTooltip(image, editImage, '')
  const link = main.empty && !image ? findLinkAt(state, 'Link') : undefined
  return link && link.url !== '' ? toTooltip(link, editLink, link.text) : null
}

function toTooltip(link: TextLink, edit: (view: EditorView) => void, textAfterRemoval: string): Tooltip {
  const create = (view: EditorView) => {
    const dom = document.createElement('div')
    dom.className = 'cm-link-tooltip'
    dom.setAttribute('role', 'group')
    dom.setAttribute('aria-label', view.state.phrase('Link'))
    const address = document.createElement('span')
    address.textContent = link.url
    address.title = link.url
    const remove = (): void => {
      view.dispatch({ changes: { from: link.from, to: link.to, insert: textAfterRemoval }, userEvent: 'delete.link' })
      view.focus()
    }
    dom.append(address)
    if (isOpenable(link.url)) dom.append(createButton(view, 'Open', () => openLink(link.url)))
    dom.append(
      createButton(view, 'Edit', () => edit(view)),
      createButton(view, 'Remove', remove),
    )
    return { dom }
  }
  return { pos: link.from, create, above: false }
}

function createButton(view: EditorView, label: string, onClick: () => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = view.state.phrase(label)
  // The cursor stays in the text.
  button.addEventListener('mousedown', (event) => event.preventDefault())
  button.addEventListener('click', onClick)
  return button
}

const isOpenable = (url: string): boolean => /^(?:https?:\/\/|\/|mailto:|tel:)/i.test(url)

const openLink = (url: string): void => {
  window.open(url, '_blank', 'noreferrer')
}

function openClickedLink(event: MouseEvent, view: EditorView): boolean {
  const at = event.ctrlKey || event.metaKey ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null
  if (at === null) return false
  let node: ReturnType<ReturnType<typeof syntaxTree>['resolveInner']> | null = syntaxTree(view.state).resolveInner(
    at,
    1,
  )
  while (node && node.name !== 'Link' && node.name !== 'Autolink' && node.name !== 'URL') node = node.parent
  const address = node?.name === 'URL' ? node : node?.getChild('URL')
  const url = address ? view.state.sliceDoc(address.from, address.to) : ''
  if (!isOpenable(url)) return false
  event.preventDefault()
  openLink(url)
  return true
}
