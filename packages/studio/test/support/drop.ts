import type { Locator } from 'playwright-core'

/** A file that somebody drags from a folder of theirs. */
export interface DraggedFile {
  readonly name: string
  readonly bytes: Buffer
}

/** Drops files on an element, at its right end, as a browser tells the page. */
export async function dropFiles(target: Locator, files: readonly DraggedFile[]): Promise<void> {
  await target.waitFor()
  const page = target.page()
  const told = files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') }))
  const dataTransfer = await page.evaluateHandle<DataTransfer>(`(() => {
    const drag = new DataTransfer()
    for (const { name, base64 } of ${JSON.stringify(told)})
      drag.items.add(new File([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], name))
    return drag
  })()`)
  const box = await target.boundingBox()
  if (!box) throw new Error('There is nothing to drop files on.')
  const place = { clientX: box.x + box.width - 2, clientY: box.y + box.height / 2 }
  for (const event of ['dragenter', 'dragover', 'drop'])
    await target.dispatchEvent(event, { dataTransfer, bubbles: true, cancelable: true, ...place })
}
