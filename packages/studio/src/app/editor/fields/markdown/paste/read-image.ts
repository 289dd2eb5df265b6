/** The maximum size of an image that is read for an upload, in bytes. */
const MAX_BYTES = 50_000_000
const TIMEOUT_MS = 30_000

/** Reads an image from a data URL, or from another site. @returns `undefined` if it cannot be read, or is no image */
export async function readImage(source: string): Promise<File | undefined> {
  try {
    const blob = source.startsWith('data:') ? decode(source) : await download(source)
    if (!/^image\/(?!svg)/.test(blob.type) || blob.size > MAX_BYTES) return undefined
    return new File([blob], nameImage(source, blob.type), { type: blob.type })
  } catch {
    return undefined
  }
}

/** The policy of the page forbids `fetch` of data URLs. */
function decode(source: string): Blob {
  const comma = source.indexOf(',')
  const type = /^data:([^;,]*)/.exec(source)?.[1] ?? ''
  const bytes = Uint8Array.from(atob(source.slice(comma + 1)), (character) => character.charCodeAt(0))
  return new Blob([bytes], { type })
}

async function download(source: string): Promise<Blob> {
  const response = await fetch(source, {
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new TypeError(`The image has the status ${response.status}.`)
  return await response.blob()
}

function nameImage(source: string, type: string): string {
  const extension = type.slice('image/'.length).replace('jpeg', 'jpg').replace(/\W.*$/, '')
  const name = source.startsWith('data:') ? undefined : /\/([\w-]+)\.\w{3,4}$/.exec(new URL(source).pathname)?.[1]
  return `${name ?? 'image'}.${extension}`
}
