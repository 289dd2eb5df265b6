import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { completeText } from './complete-text.ts'
import { fitIntoText } from './fit-markdown.ts'
import type { ConvertedHtml } from './html-to-markdown.ts'
import { readImage } from './read-image.ts'

/** The type of Markdown in the clipboard, under which the editor finds its own texts again. */
export const MARKDOWN_TYPE = 'text/markdown'

export interface PasteOptions {
  /** Returns true if the page's policy lets the browser read an image of another site. */
  readonly canFetch: (address: string) => boolean
  /** Stores an image. @returns its address; `undefined` if it could not be stored, which the user has been told */
  readonly storeImage: (image: File) => Promise<string | undefined>
}

/** Pastes formatted texts as Markdown, and uploads their images. */
export function createPaste(options: PasteOptions): Extension {
  let isPlain = false
  return Prec.high(
    EditorView.domEventHandlers({
      // The conversion is ready when something is pasted.
      focus: () => void loadConversion().catch(() => undefined),
      keydown: ({ shiftKey, ctrlKey, metaKey, code }) => {
        isPlain = shiftKey && (ctrlKey || metaKey) && code === 'KeyV'
      },
      keyup: () => {
        isPlain = false
      },
      paste: (event, view) =>
        !isPlain && event.clipboardData !== null && paste(view, event, event.clipboardData, options),
    }),
  )
}

type Conversion = typeof import('./html-to-markdown.ts')

/** Once it is loaded, a paste happens at once, before the next key. */
let loadedConversion: Conversion | undefined

async function loadConversion(): Promise<Conversion> {
  loadedConversion = await import('./html-to-markdown.ts')
  return loadedConversion
}

/** @returns false if the editor should paste the plain text, or the files, as usual */
function paste(view: EditorView, event: Event, data: DataTransfer, options: PasteOptions): boolean {
  const { state } = view
  const text = data.getData('text/plain').replace(/\r\n?/g, '\n')
  if (state.readOnly || isInSource(state)) return false
  if (isLinkTarget(state, text.trim())) {
    event.preventDefault()
    insert(view, toLink(state, text.trim()))
    return true
  }
  const markdown = data.getData(MARKDOWN_TYPE)
  const html = data.getData('text/html')
  // Programs that copy a text may add a picture of it, but an image without a text is a file.
  const isFile = data.files.length > 0 && text.trim() === ''
  const isCode = data.types.includes('vscode-editor-data')
  if (markdown === '' && (html === '' || isFile || isCode)) return false
  event.preventDefault()
  if (markdown !== '') insert(view, fitIntoText(state, markdown))
  else void pasteHtml(view, html, text, options)
  return true
}

async function pasteHtml(view: EditorView, html: string, text: string, options: PasteOptions): Promise<void> {
  // Without the conversion, the plain text is still what the user has copied.
  const conversion = loadedConversion ?? (await loadConversion().catch(() => undefined))
  const converted = conversion?.convertHtml(html, { origin: location.origin, canFetch: options.canFetch })
  const isBareAddress = converted?.markdown === `<${text.trim()}>`
  insert(view, converted && !isBareAddress ? fitIntoText(view.state, converted.markdown) : text)
  for (const image of converted?.images ?? []) void storeImage(view, image, options)
}

type PendingImage = ConvertedHtml['images'][number]

/** Stores an image, and puts its address in the place of the placeholder; an image that nobody can show is removed. */
async function storeImage(
  view: EditorView,
  { placeholder, source }: PendingImage,
  options: PasteOptions,
): Promise<void> {
  const file = await readImage(source)
  const address = file && (await options.storeImage(file))
  // The image of another site can still be shown from there.
  const remaining = source.startsWith('data:') ? undefined : source
  const text = address ?? remaining
  const doc = view.state.doc.toString()
  const at = doc.indexOf(placeholder)
  const image = at < 0 ? placeholder : doc.slice(doc.lastIndexOf('![', at), doc.indexOf(')', at) + 1)
  completeText(view, text === undefined ? { placeholder: image, text: '' } : { placeholder, text })
}

/** Inserts a text in place of the selection, as one step. */
function insert(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text), { userEvent: 'input.paste', scrollIntoView: true })
}

/** Returns true in code, HTML and addresses, where Markdown means nothing. */
function isInSource(state: EditorState): boolean {
  for (let node = syntaxTree(state).resolveInner(state.selection.main.from, -1); ; ) {
    if (/Code(?:Text|Block)?$|^(?:HTML|Comment|URL|LinkTitle|LinkReference)/.test(node.name)) return true
    if (!node.parent) return false
    node = node.parent
  }
}

const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/i

/** Returns true if the text is an address, and the selection is words that it can be the link of. */
function isLinkTarget(state: EditorState, text: string): boolean {
  const { from, to, empty } = state.selection.main
  const selected = state.sliceDoc(from, to)
  return !empty && ADDRESS.test(text) && !/\n|\]\(/.test(selected) && !ADDRESS.test(selected.trim())
}

function toLink(state: EditorState, address: string): string {
  const { from, to } = state.selection.main
  const [, before = '', words = '', after = ''] = /^(\s*)(.*?)(\s*)$/.exec(state.sliceDoc(from, to)) ?? []
  return `${before}[${words}](${address.replaceAll('(', '%28').replaceAll(')', '%29')})${after}`
}
